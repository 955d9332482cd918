"""How executions end: one transaction that frees the claim, marks the run and tells the pages."""

from django.utils import timezone

from compaction_app.compactor import Outcome
from compaction_app.policy import Trigger
from sessions_app import claims, stream, transactions
from sessions_app.models import Frame, Run, Session
from sessions_app.stream import NewFrame

NOTHING_SAVED = {"summaryTokens": 0, "savedTokens": 0, "durationMs": 0}
MESSAGES = {
    Outcome.COMPACTED: "The context was compacted.",
    Outcome.NOTHING: "There was nothing to compact.",
    Outcome.FAILED: "The compaction failed; nothing was changed.",
    Outcome.CONFLICT: "Another compaction was faster; its result is in force.",
    Outcome.CANCELLED: "The compaction was cancelled; nothing was changed.",
}


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
        now = timezone.now()
        Run.objects.filter(session_id=session_id, execution_id=execution_id).update(
            phase=phase, error=error, ended_at=now
        )
        Session.objects.filter(pk=session_id).update(phase=phase, updated_at=now, active_at=now)
        frames = [
            *open_compaction_end(session_id, execution_id),
            *dropped_click(session_id, execution_id, flagged=dropped is not None),
            *_run_frames(execution_id, phase, error),
        ]
        stream.append(session_id, frames, execution_id=execution_id)
        return True

    return transactions.run(work)


def end_compaction(*, session_id: int, execution_id: str, outcome: Outcome, error: str) -> None:
    """End an idle compaction; the session's phase stays what it was. Raises ClaimLost."""

    def work() -> None:
        claims.take_compact_flag(session_id=session_id, execution_id=execution_id)
        claims.release(session_id=session_id, execution_id=execution_id)
        frames = [
            *_missing_start(session_id, execution_id, outcome, error),
            *open_compaction_end(session_id, execution_id),
            result_frame(outcome, error),
        ]
        stream.append(session_id, frames, execution_id=execution_id)

    transactions.run(work)


def _missing_start(
    session_id: int, execution_id: str, outcome: Outcome, error: str
) -> list[NewFrame]:
    """Start and end of a compaction that failed before it could say that it starts."""
    frames = Frame.objects.filter(session_id=session_id, execution_id=execution_id)
    if frames.filter(type="compaction_start").exists():
        return []
    start = {"triggerMode": Trigger.MANUAL.value, "messageCount": 0, "estimatedTokens": 0}
    end = {"outcome": outcome.value, **NOTHING_SAVED, "error": error}
    return [NewFrame("compaction_start", start), NewFrame("compaction_end", end)]


def open_compaction_end(session_id: int, execution_id: str) -> list[NewFrame]:
    """The end that a started compaction of this execution still lacks, if any."""
    frames = Frame.objects.filter(session_id=session_id, execution_id=execution_id)
    last = frames.filter(type__in=["compaction_start", "compaction_end"]).last()
    if last is None or last.type == "compaction_end":
        return []
    data = {"outcome": Outcome.FAILED.value, **NOTHING_SAVED, "error": "interrupted"}
    return [NewFrame("compaction_end", data)]


def dropped_click(session_id: int, execution_id: str, *, flagged: bool) -> list[NewFrame]:
    """What became of a queued compaction that this execution does not do any more, if there is one.

    Either its flag was still set (`flagged`), or it was read and nothing had begun.
    """
    types = ["compaction_queued", "compaction_start", "compaction_result"]
    frames = Frame.objects.filter(session_id=session_id, execution_id=execution_id)
    last = frames.filter(type__in=types).last()
    unanswered = last is not None and last.type == "compaction_queued"
    return [result_frame(Outcome.CANCELLED)] if flagged or unanswered else []


def result_frame(outcome: Outcome, error: str = "") -> NewFrame:
    """What became of a compaction that someone asked for."""
    data = {
        "outcome": outcome.value,
        "compacted": outcome == Outcome.COMPACTED,
        "failed": outcome == Outcome.FAILED,
        "message": f"{MESSAGES[outcome]} {error}".strip(),
    }
    return NewFrame("compaction_result", data)


def _run_frames(execution_id: str, phase: Session.Phase, error: str) -> list[NewFrame]:
    frames = []
    if phase == Session.Phase.CANCELLED:
        frames.append(NewFrame("cancelled", {"executionId": execution_id}))
    if error:
        frames.append(NewFrame("error", {"code": "run_failed", "message": error}))
    status = {"phase": phase.value, "error": error} if error else {"phase": phase.value}
    return [*frames, NewFrame("session_status", status)]
