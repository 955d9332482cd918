"""Where the model asks for room in vain: it is told why, once, and nothing is repeated."""

import pytest
from pytest_django import Settings

from compaction_app.compact_context import TOOL_NAME
from compaction_app.intents import INTENT_TTL_S
from compaction_app.models import SessionCompactionReport
from sessions_app import compactions, runs
from sessions_app.context_tool import INTENTS
from sessions_app.models import Session
from tests.compaction_app.clock import Clock
from tests.sessions_app.asking import (
    answers,
    asks,
    counters,
    events,
    is_summary,
    notes_of,
    receipts,
)
from tests.sessions_app.compacting import HANDOFF, HANGING, read_round
from tests.sessions_app.running import (
    frames,
    run,
    types,
    wait_idle,
    wait_until,
)
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")

BAD = {"when": "<handoff>", "text": "Sure!"}
SLOW_S = 1.5  # in which a test does something beside the model, on a busy machine too


def test_with_nothing_before_the_newest_round_no_model_is_asked_and_the_receipt_says_so(
    wired: Session, wire: Wire
) -> None:
    wire.script(asks(reason="just so"))
    run(wired, "go on")
    assert not any(map(is_summary, wire.requests()))
    start, end = frames(wired, "compaction_start", "compaction_end")
    assert (start["messageCount"], end["outcome"]) == (0, "nothing_to_compact")
    (receipt,) = receipts(wire)
    assert "was not needed: nothing has come since the last compaction, or nothing" in receipt
    assert counters(wired) == {"tool_calls": 1, "intents": 1}


def test_to_ask_again_at_once_spends_no_model_call(half_full: Session, wire: Wire) -> None:
    wire.script(asks(reason="full"), HANDOFF, asks(reason="full?"), asks(reason="really?"))
    run(half_full, "go on")
    assert sum(map(is_summary, wire.requests())) == 1
    assert [outcome for _, outcome, _ in events(half_full)] == [
        "compacted",
        "nothing_to_compact",
        "nothing_to_compact",
    ]
    assert ["was executed" in text for text in receipts(wire)] == [True, False, False]


def test_a_failing_summary_is_tried_once_and_told_with_code_and_message(
    half_full: Session, wire: Wire
) -> None:
    wire.script(asks(reason="full"), BAD, BAD)
    read_round(wire, half_full)
    read_round(wire, half_full, 601)
    run(half_full, "go on")
    assert sum(map(is_summary, wire.requests())) == 2  # the second is the correction
    assert events(half_full) == [("tool", "failed", "standard")]
    assert counters(half_full) == {"tool_calls": 1, "intents": 1, "acts": 1, "errors": 1}
    error = SessionCompactionReport.objects.get().last_error or {}
    assert (error["code"], error["message"]) == (
        "model_output_invalid",
        "it holds 0 complete handoff blocks instead of one",
    )
    (receipt,) = receipts(wire)
    assert f"was not executed: {error['code']}: {error['message']}" in receipt
    assert half_full.phase == Session.Phase.COMPLETED


def test_a_receipt_is_not_lost_with_a_request_that_fails(half_full: Session, wire: Wire) -> None:
    refusal = {"status": 400, "body": {"error": {"message": "no such parameter"}}}
    wire.script(asks(reason="full"), HANDOFF, refusal)
    assert run(half_full, "go on").phase == Session.Phase.FAILED
    run(half_full, "again")
    run(half_full, "and now?")
    assert [bool(text) for text in notes_of(wire, "receipt")[-4:]] == [False, True, True, False]


def click_and_call(session: Session, wire: Wire) -> str:
    """Run a message whose first round calls the tool while a click waits; the execution's id."""
    wire.script({**asks(reason="full"), "delay": SLOW_S})
    started = runs.start(session_id=session.pk, content="go on")
    assert compactions.request(session_id=session.pk).status == "queued"
    return started.execution_id


def test_a_click_at_the_same_boundary_serves_the_intent(half_full: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    click_and_call(half_full, wire)
    wait_idle(half_full)
    assert events(half_full) == [("manual", "compacted", "standard")]
    assert counters(half_full) == {"tool_calls": 1, "intents": 1, "acts": 1, "ok": 1}
    (receipt,) = receipts(wire)
    assert "was not needed: another compaction has just made room" in receipt


def test_an_intent_dies_with_its_run_and_the_next_request_says_so(
    half_full: Session, wire: Wire
) -> None:
    wire.script(HANGING)
    click_and_call(half_full, wire)
    wait_until(lambda: "compaction_start" in types(half_full))
    runs.cancel(session_id=half_full.pk)
    assert wait_idle(half_full).phase == Session.Phase.CANCELLED
    assert counters(half_full) == {"tool_calls": 1, "missed": 1, "acts": 1}
    run(half_full, "again")
    (receipt,) = receipts(wire)
    assert "was not executed: the run ended before its next step" in receipt
    assert len(events(half_full)) == 1


def test_an_intent_that_lapsed_is_counted_and_not_acted_on(
    half_full: Session, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(INTENTS, "clock", clock)
    wire.script({**BAD, "delay": SLOW_S}, BAD)
    click_and_call(half_full, wire)
    wait_until(lambda: "compaction_start" in types(half_full))
    clock.advance(INTENT_TTL_S + 1)
    wait_idle(half_full)
    assert events(half_full) == [("manual", "failed", "standard")]
    assert counters(half_full) == {"tool_calls": 1, "expired": 1, "acts": 1, "errors": 1}
    (receipt,) = receipts(wire)
    assert "was not executed: it lapsed before it could be acted on" in receipt


def test_the_switch_of_automatic_compaction_leaves_the_tool_working(
    half_full: Session, wire: Wire, settings: Settings
) -> None:
    settings.COMPACTION_ENABLED = False
    wire.script(asks(reason="full"), HANDOFF)
    run(half_full, "go on")
    assert events(half_full) == [("tool", "compacted", "standard")]


def test_a_call_with_broken_arguments_is_answered_counted_and_harms_nothing(
    half_full: Session, wire: Wire
) -> None:
    broken = {"name": TOOL_NAME, "arguments": '{"reason": '}
    wire.script({"tool_calls": [broken]}, {"text": "then not"})
    assert run(half_full, "go on").phase == Session.Phase.COMPLETED
    (answer,) = answers(half_full)
    assert answer == {
        "ok": False,
        "error": "the arguments are no valid JSON (unexpected end of data: line 1 column 12 "
        "(char 11)): '{\"reason\": '; expected one object",
    }
    (result,) = frames(half_full, "tool_call_result")
    assert result["status"] == "error"
    assert (counters(half_full), events(half_full)) == ({"tool_calls": 1}, [])
