"""The test doubles that everyone uses: small real implementations of the ports, and one check of a
request.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field, replace

from agent.history import Conversation, History
from agent.manifest import PromptPart
from agent.messages import (
    Message,
    ModelResponse,
    ModelSpec,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    Usage,
)
from agent.protocols import RetryNotice
from agent.request import ModelRequest, RequestBuilder
from agent.tokens import MESSAGE_OVERHEAD, TokenEstimator

LABELS = {"handoff": "Handoff", "messages": "Messages", "context_notes": "Notes"}


def check_request(request: ModelRequest) -> None:
    """Assert what must hold of every request: prompt, manifest and pairs. Used by all scripted
    clients.
    """
    assert request.system == "".join(part.text for part in request.parts)
    estimator = TokenEstimator(request.spec.tokenizer)
    expected = [(part.key, estimator.text(part.text)) for part in request.parts]
    if request.handoff:
        expected.append(("handoff", estimator.text(request.handoff) + MESSAGE_OVERHEAD))
    counted = sum(
        estimator.message(message) if message.tokens is None else message.tokens
        for message in request.messages
    )
    expected.append(("messages", counted))
    if request.notes:
        expected.append(("context_notes", estimator.text(request.notes) + MESSAGE_OVERHEAD))
    assert [(row.key, row.tokens) for row in request.manifest.sections] == expected
    assert request.manifest.tools.tokens == estimator.tools(request.tools)
    check_pairs(request.messages)


def check_pairs(messages: Sequence[Message]) -> None:
    """Assert that each call is followed by exactly its result, in order, and each result follows
    its call.
    """
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message.role == "tool":
            assert waiting, f"a result without a call: {message.tool_call_id}"
            assert message.tool_call_id == waiting.pop(0)
            continue
        assert not waiting, f"calls without a result: {waiting}"
        waiting = [call.id for call in message.tool_calls]
        assert not seen.intersection(waiting), f"a call id twice: {waiting}"
        seen.update(waiting)
    assert not waiting, f"calls without a result: {waiting}"


Reply = ModelResponse | str | Exception | Sequence[StreamEvent | Exception]


@dataclass
class ScriptedClient:
    """A model that gives the scripted replies, one a request, and keeps the requests it was sent.

    A reply is a response, a text, an exception, or a list of stream events and exceptions as they
    come.
    """

    replies: list[Reply]
    requests: list[ModelRequest] = field(default_factory=list)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """The next reply."""
        check_request(request)
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, str):
            reply = ModelResponse(text=reply, usage=Usage(request.estimated, 5, 0))
        if isinstance(reply, ModelResponse):
            reply = [TextDelta(reply.text), reply] if reply.text else [reply]
        for event in [reply] if isinstance(reply, Exception) else reply:
            if isinstance(event, Exception):
                raise event
            yield event


@dataclass
class ScriptedTools:
    """Tools whose results are given by name; an unknown name is an error result."""

    results: dict[str, str] = field(default_factory=dict)
    ran: list[ToolCall] = field(default_factory=list)

    @property
    def definitions(self) -> Sequence[ToolDefinition]:
        """One definition per scripted tool."""
        return tuple(ToolDefinition(name, f"Scripted {name}.") for name in self.results)

    async def run_round(self, calls: Sequence[ToolCall]) -> AsyncGenerator[ToolResult, None]:
        """The scripted results in the order of the calls."""
        for call in calls:
            self.ran.append(call)
            text = self.results.get(call.name)
            yield ToolResult(call, text or '{"error": "no such tool"}', is_error=text is None)


@dataclass
class RecordingListener:
    """Stores messages in a list with rising ids and remembers what it was told, in order."""

    messages: list[Message] = field(default_factory=list)
    events: list[tuple[str, object]] = field(default_factory=list)

    def names(self) -> list[str]:
        """What happened, by name."""
        return [name for name, _ in self.events]

    def _store(self, message: Message) -> Message:
        stored = replace(message, id=len(self.messages) + 1)
        self.messages.append(stored)
        return stored

    async def request_started(self, request: ModelRequest) -> int:
        """Numbers requests from 1."""
        self.events.append(("request_started", request.estimated))
        return self.names().count("request_started")

    def delta(self, event: StreamEvent) -> None:
        """Remembers text and thinking."""
        if isinstance(event, TextDelta | ThinkingDelta):
            self.events.append(("delta", event.text))

    async def retrying(self, notice: RetryNotice) -> None:
        """Remembers the attempt."""
        self.events.append(("retrying", notice.attempt))

    async def response_finished(
        self, message: Message, response: ModelResponse, *, duration_ms: int
    ) -> Message:
        """Stores the message."""
        self.events.append(("response_finished", (response.stop_reason, duration_ms >= 0)))
        return self._store(message)

    async def response_cancelled(self, message: Message) -> None:
        """Stores what was streamed."""
        self.events.append(("response_cancelled", message.content))
        self._store(message)

    async def context_checked(self, request: ModelRequest) -> None:
        """Remembers the size."""
        self.events.append(("context_checked", request.estimated))

    async def request_failed(self, reason: str) -> None:
        """Remembers the reason."""
        self.events.append(("request_failed", reason))

    async def tool_started(self, call: ToolCall) -> None:
        """Remembers the call."""
        self.events.append(("tool_started", call.id))

    async def tool_finished(self, message: Message, result: ToolResult) -> Message:
        """Stores the result."""
        self.events.append(("tool_finished", result.call.id))
        return self._store(message)

    async def notice(self, code: str, message: str) -> None:
        """Remembers the code."""
        self.events.append(("notice", (code, message)))


class OpenGates:
    """Never compacts."""

    async def at_start(self, conversation: Conversation) -> Conversation:
        """As it is."""
        return conversation

    async def after_round(self, conversation: Conversation) -> Conversation:
        """As it is."""
        return conversation

    def notes(self, conversation: Conversation) -> str:
        """None."""
        del conversation
        return ""

    async def at_finish(self, conversation: Conversation) -> Conversation:
        """As it is."""
        return conversation

    async def at_overflow(self, conversation: Conversation) -> None:
        """Nothing can be done."""
        del conversation


def make_builder(
    *,
    parts: Iterable[PromptPart] = (PromptPart("persona", "Persona", "You are a test agent.\n\n"),),
    tools: Iterable[ToolDefinition] = (),
    window: int | None = 128_000,
    tokenizer: str = "o200k_base",
) -> RequestBuilder:
    """A request builder with a small prompt."""
    spec = ModelSpec("test", "test-1", window, max_output_tokens=4_096, tokenizer=tokenizer)
    return RequestBuilder(
        spec=spec,
        estimator=TokenEstimator(tokenizer),
        parts=tuple(parts),
        tools=tuple(tools),
        labels=LABELS,
    )


def make_conversation(*messages: Message, summary: str = "") -> Conversation:
    """A conversation of these messages, the summary wrapped in a word."""
    handoff = f"Handoff: {summary}" if summary else ""
    return Conversation(make_history(*messages), summary, handoff)


def make_history(*messages: Message, tokenizer: str = "o200k_base") -> History:
    """A history of these messages."""
    return History(TokenEstimator(tokenizer), messages)
