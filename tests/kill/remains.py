"""Everything that is stored of a session, as plain data."""

from typing import Any

import orjson
from django.db import connection
from django.forms.models import model_to_dict

from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)
from sessions_app.models import Claim, Frame, Message, Run, Session

SESSION = ["phase", "frame_seq", "anchor_tokens", "anchor_message_id", "context_frame"]
MESSAGE = ["id", "role", "content", "tool_calls", "tool_call_id", "metadata", "execution_id"]
EVENT = ["id", "outcome", "trigger_mode", "prev_boundary_msg_id", "boundary_msg_id"]
EVENT += ["compacted_message_count", "saved_tokens", "summary_tokens", "duration_ms"]
EVENT += ["summary_text", "execution_id"]
COMPACTION = ["summary_text", "last_compacted_msg_id", "compact_count"]
REPORT = ["acts", "ok", "errors"]
CLAIM = ["execution_id", "kind", "compact_requested", "cancel_requested", "partial"]


def remains(session_id: int) -> dict[str, Any]:
    """Rows by table; frames as {type, seq, **data}."""
    mine = {"session_id": session_id}
    frames = Frame.objects.filter(**mine).order_by("seq").values_list("text", flat=True)
    compaction = SessionCompaction.objects.filter(**mine).first()
    report = SessionCompactionReport.objects.filter(**mine).first()
    return {
        "integrity": _integrity(),
        "session": model_to_dict(Session.objects.get(pk=session_id), SESSION),
        "claim": model_to_dict(Claim.objects.get(**mine), CLAIM),
        "frames": [_frame(text) for text in frames],
        "messages": list(Message.objects.filter(**mine).order_by("id").values(*MESSAGE)),
        "runs": list(Run.objects.filter(**mine).order_by("pk").values("execution_id", "phase")),
        "compaction": model_to_dict(compaction, COMPACTION) if compaction else None,
        "events": list(SessionCompactionEvent.objects.filter(**mine).order_by("id").values(*EVENT)),
        "report": model_to_dict(report, REPORT) if report else dict.fromkeys(REPORT, 0),
    }


def _frame(text: str) -> dict[str, Any]:
    frame = orjson.loads(text)
    return {"type": frame["type"], "seq": frame["seq"], **frame["data"]}


def _integrity() -> list[str]:
    """What the database itself finds wrong; SQLite only."""
    if connection.vendor != "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        found = [str(row[0]) for row in cursor.fetchall() if row[0] != "ok"]
        cursor.execute("PRAGMA foreign_key_check")
        return found + [str(row) for row in cursor.fetchall()]
