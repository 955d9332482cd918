"""Compactions as the engine would leave them, for the tests of the pages."""

from typing import Any

from compaction_app.models import SessionCompactionEvent
from sessions_app.models import Message, Session
from sessions_app.page.past_compactions import past_compactions


def tried(session: Session, outcome: str, trigger: str = "manual", **fields: Any) -> int:
    """Store the event of a compaction that changed nothing; its id."""
    values = {"trigger_mode": trigger, "outcome": outcome, **fields}
    return SessionCompactionEvent.objects.create(session=session, **values).pk


def compacted(session: Session, up_to: Message, trigger: str = "manual", **fields: Any) -> int:
    """Store the event of a compaction with its boundary at this message; its id."""
    after = past_compactions(session).boundary
    count = session.messages.filter(pk__gt=after, pk__lte=up_to.pk).count()
    values: dict[str, Any] = {
        "prev_boundary_msg_id": after or None,
        "boundary_msg_id": up_to.pk,
        "compacted_message_count": count,
        "before_tokens": 9_000,
        "after_tokens": 2_500,
        "saved_tokens": 6_500,
        "summary_tokens": 120,
        "summary_text": "# Goals\n\nAll so far.",
        "compact_model": "rehearsal",
    }
    return tried(session, "compacted", trigger, **{**values, **fields})
