"""How executions end: one transaction that frees the claim, marks the run and tells the pages."""

import orjson
from django.utils import timezone

from agent.phrases import Phrase
from compaction_app import services as compaction_services
from compaction_app.compactor import Order, Report
from compaction_app.policy import Outcome, Trigger
from sessions_app import claims, selectors, stream, transactions
from sessions_app.compaction_frames import end_frame, result_frame, start_frame
from sessions_app.models import Frame, Run, Session
from sessions_app.spoken import spoken
from sessions_app.stream import NewFrame

INTERRUPTED = Phrase("interrupted")  # why a compaction has not come to its own end
INTERRUPTED_CODE = "interrupted"


def end_run(
    *, session_id: int, execution_id: str, phase: Session.Phase, error: str, drop_flag: bool
) -> bool:
    """End a run; False, with nothing done, while a compaction flag is unread and not to be dropped.

    Raises ClaimLost.
    """

    def work() -> bool:
        dropped = (
            claims.take_compact_flag(session_id=session_id, execution_id=execution_id)
            if drop_flag
            else None
        )
        if not claims.release(session_id=session_id, execution_id=execution_id):
            return False
        now, reason = timezone.now(), spoken(error, selectors.language(session_id))
        Run.objects.filter(session_id=session_id, execution_id=execution_id).update(
            phase=phase, error=reason, ended_at=now
        )
        Session.objects.filter(pk=session_id).update(phase=phase, updated_at=now, active_at=now)
        frames = [
            *open_compaction_end(session_id, execution_id),
            *dropped_click(session_id, execution_id, flagged=dropped is not None),
            *_run_frames(execution_id, phase, reason),
        ]
        stream.append(session_id, frames, execution_id=execution_id)
        return True

    return transactions.run(work, patient=True)


def end_compaction(
    *, session_id: int, execution_id: str, outcome: Outcome, error: str, code: str = ""
) -> None:
    """End an idle compaction; the session's phase stays what it was. Raises ClaimLost."""

    def work() -> None:
        claims.take_compact_flag(session_id=session_id, execution_id=execution_id)
        claims.release(session_id=session_id, execution_id=execution_id)
        frames = [
            *missing_start(session_id, execution_id, outcome, error, code),
            *open_compaction_end(session_id, execution_id),
            result_frame(outcome, selectors.language(session_id), error),
        ]
        stream.append(session_id, frames, execution_id=execution_id)

    transactions.run(work, patient=True)


def missing_start(
    session_id: int, execution_id: str, outcome: Outcome, error: str, code: str
) -> list[NewFrame]:
    """Start and end of an idle compaction that was over before it could say that it starts; its
    event is stored in the caller's transaction.
    """
    frames = Frame.objects.filter(session_id=session_id, execution_id=execution_id)
    if frames.filter(type="compaction_start").exists():
        return []
    start = start_frame(Trigger.MANUAL.value, message_count=0, estimated_tokens=0)
    end = Report(
        order=Order(Trigger.MANUAL, tier=""),
        outcome=outcome,
        previous_boundary_id=selectors.boundary(session_id),
        before_tokens=0,
        error=spoken(error, selectors.language(session_id)),
        error_code=code,
    )
    return [start, _kept(session_id, execution_id, end)]


def open_compaction_end(session_id: int, execution_id: str) -> list[NewFrame]:
    """The end that a started compaction of this execution still lacks, if any; its event is stored
    in the caller's transaction.
    """
    frames = Frame.objects.filter(session_id=session_id, execution_id=execution_id)
    last = frames.filter(type__in=["compaction_start", "compaction_end"]).last()
    if last is None or last.type == "compaction_end":
        return []
    start = orjson.loads(last.text)["data"]
    end = Report(
        order=Order(Trigger(start["triggerMode"]), tier=""),
        outcome=Outcome.FAILED,
        previous_boundary_id=selectors.boundary(session_id),
        before_tokens=start["estimatedTokens"],
        error=spoken(INTERRUPTED, selectors.language(session_id)),
        error_code=INTERRUPTED_CODE,
    )
    return [_kept(session_id, execution_id, end)]


def _kept(session_id: int, execution_id: str, end: Report) -> NewFrame:
    """The frame of this end, whose event is stored."""
    compaction_services.event_create(session_id=session_id, execution_id=execution_id, report=end)
    return end_frame(end)


def dropped_click(session_id: int, execution_id: str, *, flagged: bool) -> list[NewFrame]:
    """What became of a queued compaction that this execution does not do any more, if there is one.

    Either its flag was still set (`flagged`), or it was read and nothing had begun.
    """
    types = ["compaction_queued", "compaction_start", "compaction_result"]
    frames = Frame.objects.filter(session_id=session_id, execution_id=execution_id)
    last = frames.filter(type__in=types).last()
    unanswered = last is not None and last.type == "compaction_queued"
    if not (flagged or unanswered):
        return []
    return [result_frame(Outcome.CANCELLED, selectors.language(session_id))]


def _run_frames(execution_id: str, phase: Session.Phase, error: str) -> list[NewFrame]:
    frames = []
    if phase == Session.Phase.CANCELLED:
        frames.append(NewFrame("cancelled", {"executionId": execution_id}))
    if error:
        frames.append(NewFrame("error", {"code": "run_failed", "message": error}))
    status = {"phase": phase.value, "error": error} if error else {"phase": phase.value}
    return [*frames, NewFrame("session_status", status)]
