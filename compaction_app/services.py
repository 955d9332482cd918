"""Writes of compactions: the compare-and-set on the boundary, event rows, undo, the report's
counters.

Called inside the transaction that sessions_app opens (it holds the claim's fence and tells the
pages).
"""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.timezone import now

from compaction_app.compactor import Report
from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)
from compaction_app.policy import UNDONE, LastAutomatic, Outcome, Trigger

AUTOMATIC = [Trigger.REQUEST_START, Trigger.MID_LOOP, Trigger.IDLE]


def commit(*, session_id: int, report: Report) -> bool:
    """Put the report's boundary and summary in force; False if the boundary is no longer the old
    one.

    The boundary only rises, the count grows by one.
    """
    assert report.boundary_id is not None
    fields = {
        "summary_text": report.summary,
        "last_compacted_msg_id": report.boundary_id,
        "newest_msg_id": report.newest_id,
        "compact_model": report.model,
    }
    if report.previous_boundary_id is not None:
        if report.boundary_id <= report.previous_boundary_id:
            return False
        rows = SessionCompaction.objects.filter(
            session_id=session_id, last_compacted_msg_id=report.previous_boundary_id
        )
        return bool(rows.update(**fields, compact_count=F("compact_count") + 1, updated_at=now()))
    try:
        with transaction.atomic():
            SessionCompaction.objects.create(session_id=session_id, compact_count=1, **fields)
    except IntegrityError:
        return False
    return True


def event_create(*, session_id: int, execution_id: str, report: Report) -> SessionCompactionEvent:
    """Keep what is known of a compaction, and count it."""
    compacted = report.outcome == Outcome.COMPACTED
    event = SessionCompactionEvent.objects.create(
        session_id=session_id,
        execution_id=execution_id,
        trigger_mode=report.order.trigger.value,
        outcome=report.outcome.value,
        tier=report.order.tier,
        prev_boundary_msg_id=report.previous_boundary_id,
        boundary_msg_id=report.boundary_id if compacted else report.previous_boundary_id,
        newest_msg_id=report.newest_id,
        compacted_message_count=report.message_count if compacted else 0,
        before_tokens=report.before_tokens,
        after_tokens=report.after_tokens,
        saved_tokens=report.saved_tokens,
        summary_tokens=report.summary_tokens if compacted else 0,
        prompt_tokens=report.usage.prompt_tokens,
        cached_tokens=report.usage.cached_tokens,
        completion_tokens=report.usage.completion_tokens,
        duration_ms=report.duration_ms,
        compact_model=report.model,
        error=report.error,
        summary_text=report.summary if compacted else "",
    )
    _count(session_id, report, event)
    return event


def undo(*, session_id: int, execution_id: str) -> SessionCompactionEvent | None:
    """Put the compaction before the last one back in force; the `undone` event, None if there is
    none.

    The row is compared with its boundary as it was read, like a commit.
    """
    row = SessionCompaction.objects.filter(session_id=session_id).first()
    if row is None:
        return None
    last = _in_force(session_id, row.last_compacted_msg_id)
    if last is None:
        return None
    current = SessionCompaction.objects.filter(
        session_id=session_id, last_compacted_msg_id=row.last_compacted_msg_id
    )
    before = _in_force(session_id, last.prev_boundary_msg_id, older_than=last.pk)
    if before is None:
        changed = current.delete()[0]
    else:
        changed = current.update(
            summary_text=before.summary_text,
            last_compacted_msg_id=before.boundary_msg_id,
            newest_msg_id=before.newest_msg_id,
            compact_model=before.compact_model,
            compact_count=F("compact_count") - 1,
            updated_at=now(),
        )
    if not changed:
        return None
    return SessionCompactionEvent.objects.create(
        session_id=session_id,
        execution_id=execution_id,
        trigger_mode=last.trigger_mode,
        outcome=UNDONE,
        prev_boundary_msg_id=last.boundary_msg_id,
        boundary_msg_id=last.prev_boundary_msg_id,
        compacted_message_count=last.compacted_message_count,
    )


def last_automatic(session_id: int) -> LastAutomatic | None:
    """How the session's last automatic compaction ended, for the guard against repeating it in
    vain. One that was stopped, or was too late, says nothing of the next.
    """
    event = SessionCompactionEvent.objects.filter(
        session_id=session_id,
        trigger_mode__in=[trigger.value for trigger in AUTOMATIC],
        outcome__in=[Outcome.COMPACTED.value, Outcome.FAILED.value],
    ).first()
    if event is None:
        return None
    failed = event.outcome == Outcome.FAILED.value
    level = event.before_tokens if failed else event.after_tokens
    return LastAutomatic(failed, event.saved_tokens, level or 0)


def report_count(*, session_id: int, counter: str) -> None:
    """Add one to a counter of the report: tool_calls, intents, expired or missed."""
    SessionCompactionReport.objects.get_or_create(session_id=session_id)
    SessionCompactionReport.objects.filter(session_id=session_id).update(
        **{counter: F(counter) + 1}
    )


def receipt_store(*, session_id: int, text: str) -> None:
    """Keep what the model is to be told in its next request; empty: it has been told."""
    SessionCompactionReport.objects.update_or_create(
        session_id=session_id, defaults={"receipt": text}
    )


def knows_of_the_tool(*, session_id: int, run_started_at: datetime | None) -> bool:
    """Whether the model was told of the tool before and still knows: not in a session's first run,
    nor in the first run after a compaction. `run_started_at` is that of the run before.
    """
    if run_started_at is None:
        return False
    return not SessionCompactionEvent.objects.filter(
        session_id=session_id, outcome=Outcome.COMPACTED.value, created_at__gte=run_started_at
    ).exists()


def _in_force(
    session_id: int, boundary: int | None, *, older_than: int | None = None
) -> SessionCompactionEvent | None:
    """The event that put this boundary in force: the newest one that set it."""
    events = SessionCompactionEvent.objects.filter(
        session_id=session_id, outcome=Outcome.COMPACTED.value, boundary_msg_id=boundary
    )
    if older_than is not None:
        events = events.filter(pk__lt=older_than)
    return events.order_by("-id").first()


def _count(session_id: int, report: Report, event: SessionCompactionEvent) -> None:
    """B19's counters: acts, how they ended, the last one."""
    if report.outcome == Outcome.NOTHING:
        return
    SessionCompactionReport.objects.get_or_create(session_id=session_id)
    failed = report.outcome == Outcome.FAILED
    act = {
        "trigger": report.order.trigger.value,
        "outcome": report.outcome.value,
        "tier": report.order.tier,
        "prevBoundaryMsgId": event.prev_boundary_msg_id,
        "boundaryMsgId": event.boundary_msg_id,
        "beforeTokens": event.before_tokens,
        "afterTokens": event.after_tokens,
        "savedTokens": report.saved_tokens,
        "durationMs": report.duration_ms,
    }
    changes: dict[str, object] = {"acts": F("acts") + 1, "last_act": act}
    if report.outcome == Outcome.COMPACTED:
        changes["ok"] = F("ok") + 1
    if failed:
        changes["errors"] = F("errors") + 1
        changes["last_error"] = {
            "code": report.error_code,
            "message": report.error,
            "stack": report.error_stack,
        }
    SessionCompactionReport.objects.filter(session_id=session_id).update(**changes)
