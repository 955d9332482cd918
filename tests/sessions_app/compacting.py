"""Scripted handoffs, and what was sent and said, for tests of compactions over the wire."""

from typing import Any

from compaction_app.models import SessionCompactionEvent
from sessions_app.models import Session
from tests.sessions_app.running import said, write
from tests.wire.fixture import Wire

HANDOFF = {"when": "<handoff>", "text": "<handoff>\n> wish 0\nAll so far.\n</handoff>"}
HANGING = {"when": "<handoff>", "hang_after": 1}
INSTRUCTION = "Stop working here and hand this session over."
TOO_LONG = {"error": {"message": "too long", "code": "context_length_exceeded"}}


def texts(body: Any, role: str) -> list[str]:
    """The contents in this role, without the notes at the end."""
    found = [m["content"] for m in body["messages"] if m["role"] == role]
    return [text for text in found if not text.startswith("<context_notes>")]


def users(session: Session) -> list[str]:
    """What the user said, as stored."""
    return [text for role, text in said(session) if role == "user"]


def tried(session: Session) -> list[tuple[Any, ...]]:
    """Of each compaction, oldest first: trigger, outcome, boundary before it, tokens before it,
    error, execution.
    """
    rows = SessionCompactionEvent.objects.filter(session=session).order_by("id")
    columns = ("trigger_mode", "outcome", "prev_boundary_msg_id", "before_tokens")
    return list(rows.values_list(*columns, "error", "execution_id"))


def read_round(wire: Wire, session: Session, words: int = 600, delay: float = 0) -> None:
    """Script one tool round that reads a long file, asked for after `delay` seconds."""
    name = f"f{words}.txt"
    write(session, name, "word " * words)
    call = {"name": "read_file", "arguments": {"path": name}}
    wire.script({"tool_calls": [call], "delay": delay})
