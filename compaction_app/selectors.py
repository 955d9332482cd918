"""Reads of compactions, for whoever may see the session."""

from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)


def compaction(session_id: int) -> SessionCompaction | None:
    """The summary in force, None before the first compaction or after its undo."""
    return SessionCompaction.objects.filter(session_id=session_id).first()


def events(
    *, session_id: int, after: int | None = None, limit: int
) -> list[SessionCompactionEvent]:
    """Up to `limit` compactions that were tried, newest first, with ids below `after`."""
    rows = SessionCompactionEvent.objects.filter(session_id=session_id)
    if after is not None:
        rows = rows.filter(pk__lt=after)
    return list(rows.order_by("-id")[:limit])


def report(session_id: int) -> SessionCompactionReport:
    """The session's counters; all zero, and not stored, before there is anything to count."""
    found = SessionCompactionReport.objects.filter(session_id=session_id).first()
    return found or SessionCompactionReport(session_id=session_id)
