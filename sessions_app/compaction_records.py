"""Tells the pages of compactions and keeps them: the `Records` of the compactor, as rows and
frames.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from agent.history import Conversation
from agent.messages import ModelResponse
from agent.protocols import RetryNotice
from agent.request import ModelRequest
from compaction_app import services
from compaction_app.at_hand import RequestAtHand
from compaction_app.compactor import Order, Report
from compaction_app.policy import Outcome
from sessions_app import context_window, request_parts
from sessions_app.compaction_frames import end_frame, marker_frame, start_frame
from sessions_app.context_window import ContextNumbers
from sessions_app.listener import RunListener
from sessions_app.models import Message, RequestLog, Session
from sessions_app.run_loop import database
from sessions_app.stream import NewFrame


@dataclass
class CompactionRecords:
    """The records of one execution's compactions; `load` reads the conversation as it is stored."""

    listener: RunListener
    at_hand: RequestAtHand
    load: Callable[[], Conversation]
    _current: Conversation | None = None  # as read in the transaction that ended a compaction

    @property
    def session_id(self) -> int:
        """Whose compactions these are."""
        return self.listener.session_id

    async def begun(self, order: Order, *, message_count: int, estimated_tokens: int) -> None:
        """Show the start."""
        frame = start_frame(
            order.trigger.value, message_count=message_count, estimated_tokens=estimated_tokens
        )
        await self.listener.write(lambda: (None, [frame]))

    async def summary_requested(self, request: ModelRequest) -> int:
        """Log it as a summary request: no manifest, never the session's context."""

        def work() -> tuple[int, list[NewFrame]]:
            rows, texts = request_parts.part_rows(request)
            request_parts.store(texts, known=set())
            ids = [message.id for message in request.messages if message.id is not None]
            log = RequestLog.objects.create(
                session_id=self.session_id,
                kind=RequestLog.Kind.SUMMARY,
                execution_id=self.listener.execution_id,
                model_name=request.spec.name,
                estimated=request.estimated,
                parts=rows,
                first_message_id=min(ids, default=None),
                last_message_id=max(ids, default=None),
                boundary_message_id=request.conversation.boundary_id,
            )
            return log.pk, []

        return await self.listener.write(work)

    async def summary_answered(
        self, request_id: int, response: ModelResponse | None, *, error: str, duration_ms: int
    ) -> None:
        """Complete its row; a stopped one has neither answer nor error."""
        fields: dict[str, Any] = {"duration_ms": duration_ms, "error": error}
        fields["stop_reason"] = "error" if error else "cancelled"
        if response is not None:
            fields["actual"] = response.usage.prompt_tokens
            fields["cached_tokens"] = response.usage.cached_tokens
            fields["output_tokens"] = response.usage.completion_tokens
            fields["stop_reason"] = response.stop_reason[:50]

        def work() -> tuple[None, list[NewFrame]]:
            RequestLog.objects.filter(pk=request_id).update(**fields)
            return None, []

        await self.listener.write(work)

    async def retrying(self, notice: RetryNotice) -> None:
        """Show it like the retry of any request."""
        await self.listener.retrying(notice)

    async def commit(self, report: Report) -> Report | None:
        """Boundary, summary, event, anchor and frames in one transaction."""

        def work() -> tuple[Report | None, list[NewFrame]]:
            boundary = Message.objects.filter(
                session_id=self.session_id, pk=report.boundary_id or 0
            )
            if not boundary.exists() or not services.commit(
                session_id=self.session_id, report=report
            ):
                return None, []
            numbers = self._recounted()
            done = replace(report, after_tokens=numbers.active)
            event = services.event_create(
                session_id=self.session_id, execution_id=self.listener.execution_id, report=done
            )
            return done, [end_frame(done), marker_frame(event), self._pushed(numbers)]

        return await self.listener.write(work)

    async def ended(self, report: Report) -> None:
        """Keep why, and show the end; after a lost race also what is in force now."""

        def work() -> tuple[None, list[NewFrame]]:
            services.event_create(
                session_id=self.session_id,
                execution_id=self.listener.execution_id,
                report=report,
            )
            frames = [end_frame(report)]
            if report.outcome == Outcome.CONFLICT:
                frames.append(self._pushed(self._recounted()))
            return None, frames

        await self.listener.write(work)

    async def current(self) -> Conversation:
        """From the database; read once for the page and for the run."""
        if self._current is None:
            return await database(self.load)
        read, self._current = self._current, None
        return read

    def _recounted(self) -> ContextNumbers:
        """Inside the transaction: no measurement holds any more, the estimate is what there is."""
        self._current = self.load()
        return void_anchor(self.session_id, self.at_hand, self._current)

    def _pushed(self, numbers: ContextNumbers) -> NewFrame:
        return context_window.push(
            session_id=self.session_id, execution_id=self.listener.execution_id, numbers=numbers
        )


def void_anchor(
    session_id: int, at_hand: RequestAtHand, conversation: Conversation
) -> ContextNumbers:
    """Reset the session's anchor, in the caller's transaction; what the next request would be."""
    Session.objects.filter(pk=session_id).update(anchor_tokens=0, anchor_message_id=None)
    at_hand.occupancy.void()
    manifest = replace(at_hand.build(conversation).manifest, request_id=None)
    active = at_hand.occupancy.active(manifest.estimated, conversation.history)
    return ContextNumbers(manifest.estimated, actual=0, active=active, manifest=manifest)
