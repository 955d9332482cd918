"""What pages are told of a compaction: its start, its end, its divider, what became of a click."""

from typing import Any

from agent.phrases import Phrase
from compaction_app.compactor import Report
from compaction_app.models import SessionCompactionEvent
from compaction_app.policy import Outcome
from sessions_app.spoken import spoken
from sessions_app.stream import NewFrame

MESSAGES = {
    Outcome.COMPACTED: Phrase("The context was compacted."),
    Outcome.NOTHING: Phrase("There was nothing to compact."),
    Outcome.FAILED: Phrase("The compaction failed; nothing was changed."),
    Outcome.CONFLICT: Phrase("Another compaction was faster; its result is in force."),
    Outcome.CANCELLED: Phrase("The compaction was cancelled; nothing was changed."),
}


def start_frame(trigger_mode: str, *, message_count: int, estimated_tokens: int) -> NewFrame:
    """It begins: with so many messages, at so many active tokens."""
    data = {
        "triggerMode": trigger_mode,
        "messageCount": message_count,
        "estimatedTokens": estimated_tokens,
    }
    return NewFrame("compaction_start", data)


def end_frame(report: Report) -> NewFrame:
    """The end of a compaction."""
    data: dict[str, Any] = {
        "outcome": report.outcome.value,
        "summaryTokens": report.summary_tokens,
        "savedTokens": report.saved_tokens,
        "durationMs": report.duration_ms,
    }
    if report.error:
        data["error"] = report.error
    return NewFrame("compaction_end", data)


def marker_frame(event: SessionCompactionEvent) -> NewFrame:
    """Where the divider stands."""
    data = {
        "id": event.pk,
        "triggerMode": event.trigger_mode,
        "prevBoundaryMsgId": event.prev_boundary_msg_id,
        "boundaryMsgId": event.boundary_msg_id,
        "compactedMessageCount": event.compacted_message_count,
        "summaryTokens": event.summary_tokens,
        "savedTokens": event.saved_tokens,
        "durationMs": event.duration_ms,
    }
    return NewFrame("compaction_marker", data)


def result_frame(outcome: Outcome, language: str, error: str = "") -> NewFrame:
    """What became of a compaction that someone asked for, in the session's language."""
    data = {
        "outcome": outcome.value,
        "compacted": outcome == Outcome.COMPACTED,
        "failed": outcome == Outcome.FAILED,
        "message": f"{spoken(MESSAGES[outcome], language)} {spoken(error, language)}".strip(),
    }
    return NewFrame("compaction_result", data)
