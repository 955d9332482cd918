"""A receipt reaches the model of its session once, in the next request, whoever sends it."""

from collections.abc import Callable

import pytest

from compaction_app import selectors
from compaction_app.intents import Intents
from sessions_app import context_tool, runs
from sessions_app.models import Session
from tests.sessions_app.asking import asks, note, receipts
from tests.sessions_app.compacting import HANDOFF, HANGING, texts, users
from tests.sessions_app.running import run, types, wait_idle, wait_until
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")

REFUSAL = {"status": 400, "body": {"error": {"message": "no such parameter"}}}


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process had in mind is gone, or another one goes on."""
    monkeypatch.setattr(context_tool, "INTENTS", Intents())


def test_it_outlives_the_process(
    half_full: Session, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire.script(asks(reason="full"), HANDOFF, REFUSAL)
    assert run(half_full, "go on").phase == Session.Phase.FAILED
    refused = note(wire.requests()[-1], "receipt")
    assert "was executed" in refused
    assert selectors.report(half_full.pk).receipt == refused
    restart(monkeypatch)
    run(half_full, "again")
    run(half_full, "and now?")
    assert receipts(wire) == [refused, refused]
    assert note(wire.requests()[-1], "receipt") == ""
    assert selectors.report(half_full.pk).receipt == ""


def test_that_a_run_ended_before_its_intent_is_told_by_the_next_process(
    half_full: Session, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire.script(asks(reason="full"), HANGING)
    runs.start(session_id=half_full.pk, content="go on")
    wait_until(lambda: "compaction_start" in types(half_full))
    runs.cancel(session_id=half_full.pk)
    assert wait_idle(half_full).phase == Session.Phase.CANCELLED
    restart(monkeypatch)
    run(half_full, "again")
    (receipt,) = receipts(wire)
    assert "was not executed: the run ended before its next step" in receipt


def test_two_sessions_that_finish_at_once_get_their_own(
    half_full: Session, make_session: Callable[..., Session], wire: Wire
) -> None:
    short = make_session(model=half_full.model)
    wire.script(*[{**asks(reason="full"), "delay": 0.5}] * 2, HANDOFF)
    runs.start(session_id=half_full.pk, content="the long one")
    runs.start(session_id=short.pk, content="the short one")
    for session in (half_full, short):
        assert wait_idle(session).phase == Session.Phase.COMPLETED
    told = {
        (users(session)[-1], "was executed" in receipt)
        for session in (half_full, short)
        for request in wire.requests()
        if users(session)[-1] in texts(request.body, "user")
        if (receipt := note(request, "receipt"))
    }
    assert told == {("the long one", True), ("the short one", False)}
    assert len(receipts(wire)) == 2
