"""How much is kept: the tier of a call, of a PATCH, of a click; and two sessions at once."""

from collections.abc import Callable

import pytest

from sessions_app import compactions, runs
from sessions_app.models import Session
from tests.sessions_app.asking import (
    answers,
    asks,
    counters,
    events,
    fill,
    notes_of,
    receipts,
)
from tests.sessions_app.compacting import HANDOFF, read_round, users
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import run, wait_idle, wait_until
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")


def run_over_the_line(session: Session, wire: Wire) -> tuple[str, str, str]:
    """Run rounds that read until the line is reached; what compaction came of it."""
    before = len(events(session))
    wire.script(HANDOFF)
    for n in range(4):
        read_round(wire, session, 3_500 + n)
    run(session, "read them all")
    (event,) = set(events(session)[before:])  # it may take two
    return event


def tier(session: Session) -> str:
    session.refresh_from_db()
    return session.compaction_tier


def test_a_calls_tier_holds_for_a_later_automatic_one_until_a_patch(
    half_full: Session, wire: Wire, api: Rest
) -> None:
    wire.script(asks(tier="heavy"), HANDOFF)
    run(half_full, "go on")
    assert events(half_full) == [("tool", "compacted", "heavy")]
    assert run_over_the_line(half_full, wire) == ("mid_loop", "compacted", "heavy")
    api.send("PATCH", f"/v1/sessions/{half_full.pk}", {"compactionTier": "light"})
    assert run_over_the_line(half_full, wire) == ("mid_loop", "compacted", "light")


def test_of_patch_and_set_tier_the_last_wins(wired: Session, wire: Wire, api: Rest) -> None:
    address = f"/v1/sessions/{wired.pk}"
    wire.script(asks(action="set-tier", tier="heavy"))
    run(wired, "keep more")
    assert tier(wired) == api.get(address).json()["compactionTier"] == "heavy"
    api.send("PATCH", address, {"compactionTier": "light"})
    assert tier(wired) == "light"
    wire.script(asks(action="set-tier", tier="standard"))
    run(wired, "as before")
    assert tier(wired) == "standard"
    assert [answer["tier"] for answer in answers(wired)] == ["heavy", "standard"]
    assert (events(wired), counters(wired)) == ([], {"tool_calls": 2})


def test_an_unknown_tier_is_standard_this_once(half_full: Session, wire: Wire, api: Rest) -> None:
    api.send("PATCH", f"/v1/sessions/{half_full.pk}", {"compactionTier": "heavy"})
    wire.script(asks(tier="enormous"), HANDOFF)
    run(half_full, "go on")
    (answer,) = answers(half_full)
    assert (answer["ok"], answer["tier"]) == (True, "standard")
    assert "'enormous' is not known" in answer["note"]
    assert events(half_full) == [("tool", "compacted", "standard")]
    assert tier(half_full) == "heavy"


def test_a_clicks_tier_holds_for_that_once(half_full: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    compactions.request(session_id=half_full.pk, tier="light")
    wait_idle(half_full)
    assert events(half_full) == [("manual", "compacted", "light")]
    assert tier(half_full) == "standard"


def test_bad_arguments_are_answered_and_the_run_goes_on(wired: Session, wire: Wire) -> None:
    wire.script(asks(tier=7), asks(action="set-tier"), asks(why="x"))
    assert run(wired, "go on").phase == Session.Phase.COMPLETED
    assert [answer["ok"] for answer in answers(wired)] == [False, False, False]
    assert (events(wired), counters(wired)) == ([], {"tool_calls": 3})


def test_two_sessions_at_once_get_their_own_receipts(
    half_full: Session, make_session: Callable[..., Session], wire: Wire
) -> None:
    chinese = make_session(model=half_full.model, language="zh-hans")
    fill(chinese, rounds=4, words=1_700)
    wire.script(
        {"when": "call compact_context", **asks(tier="light")},
        {"when": "调用 compact_context", **asks(tier="heavy")},
        {**HANDOFF, "when": "Stop working here", "delay": 0.3},
        {"when": "交接", "text": "no", "delay": 0.3},
        {"when": "交接", "text": "no"},
    )
    for session in (half_full, chinese):
        runs.start(session_id=session.pk, content=f"go on, {session.language}")
    for session in (half_full, chinese):
        wait_idle(session)
        assert users(session)[-1] == f"go on, {session.language}"
    assert events(half_full) == [("tool", "compacted", "light")]
    assert events(chinese) == [("tool", "failed", "heavy")]
    english, other = sorted(receipts(wire), key=lambda text: not text.startswith("Your"))
    assert "was executed" in english
    assert "tier light" in english
    assert "未执行：model_output_invalid" in other
    assert wait_until(lambda: len(notes_of(wire, "receipt")) == 4)
