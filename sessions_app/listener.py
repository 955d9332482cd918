"""Turns what happens in a run into rows and frames; each one transaction, the fence first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from agent.messages import (
    Message,
    ModelResponse,
    StreamEvent,
    ToolCall,
    ToolResult,
)
from agent.occupancy import Occupancy
from agent.protocols import RetryNotice
from agent.request import ModelRequest
from memory_app import services as memory_services
from memory_app.section import Injection
from sessions_app import claims, context_window, request_parts, stream, transactions
from sessions_app.context_window import ContextNumbers
from sessions_app.live_round import LiveRound
from sessions_app.models import RequestLog, Session
from sessions_app.run_loop import database
from sessions_app.services import transcript
from sessions_app.stream import NewFrame

T = TypeVar("T")

PREVIEW_CHARS = 4_000  # of a result in its frame; the message has all of it


@dataclass
class RunListener:
    """The `Listener` of one run. Lives on the run loop; its database work goes to the pool."""

    session_id: int
    execution_id: str
    tokenizer: str
    occupancy: Occupancy
    say: Callable[[str], str]  # in the session's language
    injections: Sequence[Injection] = ()  # the memories that the run's prompt carries
    _request: ModelRequest | None = None  # the one at hand
    _covered_id: int | None = None  # the last stored message in it
    _known_parts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.round = LiveRound(self.session_id, self.execution_id)

    # -- the port

    async def request_started(self, request: ModelRequest) -> int:
        """Log the request, then push its manifest."""
        history = request.conversation.history
        self._covered_id = history.last_id

        def work() -> tuple[int, list[NewFrame]]:
            rows, texts = request_parts.part_rows(request)
            request_parts.store(texts, known=self._known_parts)
            log = RequestLog.objects.create(
                session_id=self.session_id,
                execution_id=self.execution_id,
                model_name=request.spec.name,
                estimated=request.estimated,
                parts=rows,
                first_message_id=history.first_id,
                last_message_id=self._covered_id,
                boundary_message_id=request.conversation.boundary_id,
            )
            self._request = replace(request, manifest=request.manifest.with_request_id(log.pk))
            log.manifest = orjson.dumps(self._request.manifest.as_dict()).decode()
            log.save(update_fields=["manifest"])
            memory_services.memory_use_record(
                session_id=self.session_id, request_id=log.pk, injections=self.injections
            )
            return log.pk, [self._context_frame()]

        request_id = await self.write(work)
        self.round.begin(request_id)
        return request_id

    def delta(self, event: StreamEvent) -> None:
        """Merged for up to 40 ms; the next frame sends them first."""
        self.round.add(event)

    async def retrying(self, notice: RetryNotice) -> None:
        """What was streamed is void: the next attempt begins at offset 0."""
        self.round.flush()
        self.round.void()
        data: dict[str, Any] = {
            "reason": self.say(notice.reason),
            "attempt": notice.attempt,
            "maxRetries": notice.max_retries,
            "delaySeconds": notice.delay_seconds,
        }
        if notice.status_code is not None:
            data["statusCode"] = notice.status_code
        await self.write(lambda: (None, [NewFrame("llm_retry", data)]))

    async def response_finished(
        self, message: Message, response: ModelResponse, *, duration_ms: int
    ) -> Message:
        """Store the answer and its usage, then show both."""
        usage = response.usage

        def work() -> tuple[Message, list[NewFrame]]:
            # Before the commit: a snapshot may miss text whose message follows, never show both.
            self.round.void()
            row = transcript.assistant_message_create(
                session_id=self.session_id,
                execution_id=self.execution_id,
                message=message,
                tokenizer=self.tokenizer,
            )
            self._log(
                actual=usage.prompt_tokens,
                cached_tokens=usage.cached_tokens,
                output_tokens=usage.completion_tokens,
                duration_ms=duration_ms,
                stop_reason=response.stop_reason[:50],
            )
            self._measure(usage.prompt_tokens)
            saved = transcript.assistant_message_frame(row, request_id=self.round.request_id)
            end = NewFrame("message_end", self._usage(response))
            frames = [saved, end, self._context_frame(beyond=message.tokens or 0)]
            return transcript.to_core(row, tokenizer=self.tokenizer), frames

        return await self.write(work)

    async def response_cancelled(self, message: Message) -> None:
        """Keep what was streamed, marked; nothing is stored where nothing was."""

        def work() -> tuple[None, list[NewFrame]]:
            self.round.void()
            self._log(stop_reason="cancelled", output_tokens=message.tokens)
            if not message.content and not message.thinking:
                return None, []
            row = transcript.assistant_message_create(
                session_id=self.session_id,
                execution_id=self.execution_id,
                message=message,
                metadata={"cancelled": True},
                tokenizer=self.tokenizer,
            )
            return None, [transcript.assistant_message_frame(row, request_id=self.round.request_id)]

        await self.write(work)

    async def context_checked(self, request: ModelRequest) -> None:
        """Show how the context has grown; the last request's id stays with it."""
        manifest = request.manifest.with_request_id(self.round.request_id)
        self._request = replace(request, manifest=manifest)
        await self.write(lambda: (None, [self._context_frame()]))

    async def request_failed(self, reason: str) -> None:
        """Note why there was no response."""

        def work() -> tuple[None, list[NewFrame]]:
            self._log(stop_reason="error", error=self.say(reason))
            return None, []

        await self.write(work)

    async def tool_started(self, call: ToolCall) -> None:
        """Show the call; in the partial first, so that no snapshot lacks it."""
        self.round.call_started(call)
        data = {"tool_call_id": call.id, "tool_name": call.name, "arguments": call.arguments}
        await self.write(lambda: (None, [NewFrame("tool_call_start", data)]))

    async def tool_finished(self, message: Message, result: ToolResult) -> Message:
        """Store the result, then show it."""

        def work() -> tuple[Message, list[NewFrame]]:
            row = transcript.tool_message_create(
                session_id=self.session_id,
                execution_id=self.execution_id,
                message=message,
                result=result,
                tokenizer=self.tokenizer,
            )
            data = {
                "tool_call_id": result.call.id,
                "tool_name": result.call.name,
                "status": "error" if result.is_error else "success",
                "result": row.content[:PREVIEW_CHARS],
                "message_id": row.pk,
            }
            if result.truncated:
                data["result_truncated"] = True
            stored = transcript.to_core(row, tokenizer=self.tokenizer)
            return stored, [NewFrame("tool_call_result", data)]

        stored = await self.write(work)
        self.round.call_finished(result.call)
        return stored

    async def notice(self, code: str, message: str) -> None:
        """Tell the page."""
        frame = NewFrame("notice", {"code": code, "message": self.say(message)})
        await self.write(lambda: (None, [frame]))

    async def write(self, work: Callable[[], tuple[T, Sequence[NewFrame]]]) -> T:
        """One transaction: fence, rows, frames. Deltas that came before go out before."""
        self.round.flush()

        def fenced() -> tuple[T, int]:
            claims.fence(session_id=self.session_id, execution_id=self.execution_id)
            value, frames = work()
            if not frames:
                return value, self.round.seq
            seq = stream.append(self.session_id, frames, execution_id=self.execution_id)
            return value, seq

        value, self.round.seq = await database(transactions.run, fenced, patient=True)
        return value

    def _log(self, **fields: object) -> None:
        """Complete the row of the request at hand."""
        RequestLog.objects.filter(pk=self.round.request_id or 0).update(**fields)

    def _context_frame(self, *, beyond: int = 0) -> NewFrame:
        """The push of the request at hand; `beyond` = tokens that the history does not have yet."""
        assert self._request is not None
        manifest, conversation = self._request.manifest, self._request.conversation
        numbers = ContextNumbers(
            estimated=manifest.estimated,
            actual=self.occupancy.measured,
            active=self.occupancy.active(manifest.estimated, conversation.history) + beyond,
            manifest=manifest,
        )
        return context_window.push(
            session_id=self.session_id, execution_id=self.execution_id, numbers=numbers
        )

    def _measure(self, prompt_tokens: int | None) -> None:
        """Move the anchor to what the provider measured."""
        self.occupancy.measure(prompt_tokens, covered_id=self._covered_id)
        Session.objects.filter(pk=self.session_id).update(
            anchor_tokens=self.occupancy.measured, anchor_message_id=self.occupancy.covered_id
        )

    def _usage(self, response: ModelResponse) -> dict[str, int | None]:
        return {
            "prompt_tokens": response.usage.prompt_tokens,
            "completion_tokens": response.usage.completion_tokens,
            "cached_tokens": response.usage.cached_tokens,
            "requestId": self.round.request_id,
        }
