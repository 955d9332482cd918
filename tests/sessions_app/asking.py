"""A model that asks for room over the wire, and what its requests said of it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from agent.messages import Message as Core
from agent.tokens import TokenEstimator
from compaction_app.compact_context import TOOL_NAME
from compaction_app.models import SessionCompactionEvent, SessionCompactionReport
from sessions_app.models import Message, Run, Session
from sessions_app.services import transcript
from tests.wire.fixture import Wire, WireRequest

COUNTERS = ("tool_calls", "intents", "expired", "missed", "acts", "ok", "errors")
MARKS = ("<context_notes>", "<receipt>", "<card>", "<brief>", "<handoff>")


def asks(**arguments: Any) -> dict[str, Any]:
    """A scripted reply that calls the tool."""
    return {"tool_calls": [{"name": TOOL_NAME, "arguments": arguments}]}


def fill(session: Session, *, rounds: int, words: int) -> None:
    """Let the session have had runs before, each answered in this many words."""
    count = TokenEstimator().message
    for n in range(rounds):
        said = transcript.user_message_create(
            session_id=session.pk,
            execution_id=f"before{n}",
            content=f"wish {n}",
            event_id="",
            tokens=count(Core("user", f"wish {n}")),
            tokenizer="o200k_base",
        )
        answer = Core("assistant", f"answer {n} " + "word " * words)
        transcript.assistant_message_create(
            session_id=session.pk,
            execution_id=f"before{n}",
            message=replace(answer, tokens=count(answer)),
            tokenizer="o200k_base",
        )
        Run.objects.create(
            session=session, execution_id=f"before{n}", message=said, phase=Session.Phase.COMPLETED
        )


def is_summary(request: WireRequest) -> bool:
    """Whether it asked for a handoff."""
    return "<handoff>" in last(request)["content"]


def last(request: WireRequest) -> dict[str, Any]:
    """The last message of a request."""
    message: dict[str, Any] = request.body["messages"][-1]
    return message


def note(request: WireRequest, element: str) -> str:
    """The text of an element of the notes, empty without one."""
    notes = last(request)["content"]
    if not notes.startswith("<context_notes>"):
        return ""
    found = re.search(rf"<{element}>\n(.*)\n</{element}>", notes, re.DOTALL)
    return found[1] if found else ""


def notes_of(wire: Wire, element: str) -> list[str]:
    """This element of each request that was not one for a summary, oldest first."""
    return [note(request, element) for request in wire.requests() if not is_summary(request)]


def receipts(wire: Wire) -> list[str]:
    """All receipts that went out, oldest first."""
    return [text for text in notes_of(wire, "receipt") if text]


def counters(session: Session) -> dict[str, int]:
    """The session's counters that are not zero."""
    report = SessionCompactionReport.objects.filter(session=session).first()
    values = {name: getattr(report, name, 0) for name in COUNTERS}
    return {name: value for name, value in values.items() if value}


def events(session: Session) -> list[tuple[str, str, str]]:
    """Trigger, outcome and tier of each compaction, oldest first."""
    rows = SessionCompactionEvent.objects.filter(session=session).order_by("id")
    return list(rows.values_list("trigger_mode", "outcome", "tier"))


def answers(session: Session) -> list[Mapping[str, Any]]:
    """What the tool answered, oldest first."""
    rows = Message.objects.filter(session=session, tool_name=TOOL_NAME).order_by("id")
    return [orjson.loads(row.content) for row in rows]


def check_that_nobody_spoke_for_the_user() -> None:
    """Assert that each user row started a run, and that no marked block was stored.

    An answer may quote one, as the echo agent does.
    """
    spoken = Message.objects.filter(role="user")
    assert set(spoken.values_list("pk", flat=True)) == set(
        Run.objects.values_list("message_id", flat=True)
    )
    for row in Message.objects.all():
        assert not row.content.startswith(MARKS), row.content
        assert row.role == "assistant" or not any(mark in row.content for mark in MARKS)
