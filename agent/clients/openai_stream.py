"""Turns the chunks of a Chat Completions stream into events and, at the end, the response."""

from collections.abc import Iterable, Mapping
from typing import Any

from agent.clients.openai_calls import CallAssembler
from agent.clients.openai_usage import read_usage
from agent.clients.overflow import error_in_success
from agent.errors import ModelError, ModelOutputInvalid, ModelUnavailable
from agent.messages import (
    ModelResponse,
    StreamEvent,
    TextDelta,
    Thinking,
    ThinkingDelta,
    Usage,
)
from agent.phrases import Phrase
from agent.text import clean

# Other words for the two stop reasons that the loop knows.
STOP_REASONS = {"function_call": "tool_calls", "max_tokens": "length", "MAX_TOKENS": "length"}


class StreamedText:
    """Text from deltas, cleaned. A pair of surrogates that was cut in two is put together again."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = ""  # a high surrogate whose second half may still come

    def add(self, delta: str) -> str:
        """What can be shown after this delta."""
        text = self._held + delta
        self._held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        shown = clean(text.removesuffix(self._held))
        self._pieces.append(shown)
        return shown

    def close(self) -> str:
        """What was held back."""
        shown, self._held = clean(self._held), ""
        self._pieces.append(shown)
        return shown

    def __str__(self) -> str:
        return "".join(self._pieces)


class StreamAssembler:
    """Feed it parsed chunks, get events; the last one of `finish` is the `ModelResponse`.

    `names` translates tool names as sent into ours; `seed` makes ids for calls that come without.
    """

    def __init__(self, names: Mapping[str, str] | None = None, seed: str = "") -> None:
        self._names = names or {}
        self._seed = seed
        self._text = StreamedText()
        self._thinking = StreamedText()
        self._calls = CallAssembler()
        self._usage = Usage()
        self._stop_reason = ""
        self._usage_closed = False

    @property
    def has_stop_reason(self) -> bool:
        """Whether the model has said that it is done; only usage may still come."""
        return bool(self._stop_reason)

    @property
    def is_complete(self) -> bool:
        """Whether a finish reason or the final usage chunk has come: the answer is whole."""
        return bool(self._stop_reason) or self._usage_closed

    def feed(self, chunk: object) -> list[StreamEvent | None]:
        """The events in one chunk; None for a piece of a tool call, which is not shown.

        Raises what the chunk says when it is an error, `ModelUnavailable` when it is no object.
        """
        if not isinstance(chunk, Mapping):
            raise ModelUnavailable(
                Phrase(
                    "the model's stream holds no chunk but %(data)s", data=repr(str(chunk)[:100])
                )
            )
        if error := error_in_success(chunk):
            raise error
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        events = self._take_choice(choice) if isinstance(choice, Mapping) else []
        usage = read_usage(chunk.get("usage"))
        # Some servers report usage in every chunk, or first: it is an end mark only when last.
        self._usage_closed = choice is None and (usage is not None or self._usage_closed)
        if usage is not None and usage != self._usage:
            self._usage = usage
            events.append(usage)
        return events

    def finish(self) -> list[StreamEvent]:
        """The held back rest and the response.

        Raises `ModelUnavailable` when the stream broke off, `ModelOutputInvalid` when the answer
        holds neither text nor a call.
        """
        if not self.is_complete:
            raise ModelUnavailable(
                Phrase("connection lost: the model's stream ended without its end mark")
            )
        if self._stop_reason == "error":
            raise ModelUnavailable(
                Phrase("the provider broke off the answer without an explanation")
            )
        rest = (ThinkingDelta(self._thinking.close()), TextDelta(self._text.close()))
        calls = self._calls.finish(self._names, self._seed)
        text, thinking = str(self._text), str(self._thinking)
        if not (text.strip() or calls):
            raise self._no_answer()
        response = ModelResponse(
            text=text,
            thinking=(Thinking(text=thinking),) if thinking else (),
            tool_calls=calls,
            usage=self._usage,
            stop_reason=self._final_reason(has_calls=bool(calls)),
        )
        events: list[StreamEvent] = [delta for delta in rest if delta.text]
        return [*events, response]

    def _take_choice(self, choice: Mapping[str, Any]) -> list[StreamEvent | None]:
        delta = choice.get("delta") or choice.get("message")  # the latter: not streamed at all
        events = self._take_delta(delta) if isinstance(delta, Mapping) else []
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._stop_reason = STOP_REASONS.get(reason, reason)
        return events

    def _take_delta(self, delta: Mapping[str, Any]) -> list[StreamEvent | None]:
        thinking = _joined(delta.get("reasoning_content")) or _joined(delta.get("reasoning"))
        text = _joined(delta.get("content")) + _joined(delta.get("refusal"))
        shown: list[TextDelta | ThinkingDelta] = []
        if thinking:
            shown.append(ThinkingDelta(self._thinking.add(thinking)))
        if text:
            shown.append(TextDelta(self._text.add(text)))
        events: list[StreamEvent | None] = [event for event in shown if event.text]
        pieces = list(_call_pieces(delta))
        for position, piece in enumerate(pieces):
            self._calls.feed(piece, position)
        return [*events, None] if pieces else events

    def _final_reason(self, *, has_calls: bool) -> str:
        if has_calls and self._stop_reason in {"", "stop"}:
            return "tool_calls"
        return self._stop_reason or "stop"

    def _no_answer(self) -> ModelError:
        if self._stop_reason == "content_filter":
            return ModelError(Phrase("the provider's content filter withheld the answer"))
        if self._stop_reason == "length":
            return ModelOutputInvalid(
                Phrase("the model reached its output limit before any answer")
            )
        return ModelOutputInvalid(Phrase("the model answered with neither text nor a tool call"))


def _joined(content: object) -> str:
    """Text of a field that is a string or, at some providers, a list of text parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def _call_pieces(delta: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    pieces = delta.get("tool_calls")
    for piece in pieces if isinstance(pieces, list) else ():
        if isinstance(piece, Mapping):
            yield piece
    if isinstance(legacy := delta.get("function_call"), Mapping):  # before there were tool calls
        yield {"function": legacy}
