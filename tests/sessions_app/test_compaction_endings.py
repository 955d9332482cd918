"""Every compaction that began has one end, one event row and its place in the counters."""

from collections.abc import Callable

import pytest

from compaction_app.models import SessionCompaction, SessionCompactionReport
from sessions_app import claims, interruption, runs, stream, transactions
from sessions_app.compaction_frames import start_frame
from sessions_app.models import Claim, ModelProfile, Session
from tests.sessions_app.asking import counters
from tests.sessions_app.compacting import HANDOFF, HANGING, read_round, tried
from tests.sessions_app.running import compact, frames, run, types, wait_idle, wait_until
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")

BAD = {"when": "<handoff>", "text": "Sure!"}


def test_a_compaction_that_died_gets_its_end_its_event_and_its_count(talked: Session) -> None:
    assert claims.take(session_id=talked.pk, execution_id="dead", kind=Claim.Kind.COMPACTION)
    start = start_frame("manual", message_count=6, estimated_tokens=4_321)
    transactions.run(lambda: stream.append(talked.pk, [start], execution_id="dead"))
    Claim.objects.filter(session=talked).update(lease_until_ms=1)
    interruption.sweep()
    interruption.sweep()
    assert types(talked)[-3:] == ["compaction_start", "compaction_end", "compaction_result"]
    assert tried(talked) == [("manual", "failed", None, 4_321, "interrupted", "dead")]
    assert counters(talked) == {"acts": 1, "errors": 1}
    assert SessionCompactionReport.objects.get().last_error == {
        "code": "interrupted",
        "message": "interrupted",
        "stack": "",
    }
    talked.refresh_from_db()
    assert talked.phase == Session.Phase.COMPLETED


def test_a_compaction_that_died_inside_a_run_gets_its_end_and_its_event_too(
    talked: Session, wire: Wire
) -> None:
    wire.script(HANDOFF)
    compact(talked)
    boundary = SessionCompaction.objects.get().last_compacted_msg_id
    assert claims.take(session_id=talked.pk, execution_id="dead", kind=Claim.Kind.RUN)
    start = start_frame("mid_loop", message_count=6, estimated_tokens=17_000)
    transactions.run(lambda: stream.append(talked.pk, [start], execution_id="dead"))
    Claim.objects.filter(session=talked).update(lease_until_ms=1)
    interruption.sweep()
    assert types(talked)[-4:] == [
        "compaction_start",
        "compaction_end",
        "notice",
        "session_status",
    ]
    assert tried(talked)[1:] == [
        ("mid_loop", "failed", boundary, 17_000, "interrupted", "dead"),
    ]
    assert counters(talked) == {"acts": 2, "ok": 1, "errors": 1}


def test_a_compaction_that_cannot_begin_has_a_start_an_end_and_an_event_too(
    make_session: Callable[..., Session],
) -> None:
    model = ModelProfile.objects.create(name="x", provider="openai", key_variable="NO_SUCH_KEY")
    session = make_session(model=model)
    execution_id = compact(session).execution_id
    assert types(session) == ["compaction_start", "compaction_end", "compaction_result"]
    error = frames(session, "compaction_end")[0]["error"]
    assert "NO_SUCH_KEY" in error
    assert tried(session) == [("manual", "failed", None, 0, error, execution_id)]
    assert counters(session) == {"acts": 1, "errors": 1}
    assert SessionCompactionReport.objects.get().last_error == {
        "code": "configuration_error",
        "message": error,
        "stack": "",
    }


def over_the_line(wire: Wire, session: Session) -> None:
    """Script tool rounds whose last one brings the session over its line."""
    for n in range(4):
        read_round(wire, session, 4_000 + n)


def test_a_compaction_that_is_cancelled_inside_a_run_is_ended_once(
    wired: Session, wire: Wire
) -> None:
    over_the_line(wire, wired)
    wire.script(HANGING)
    runs.start(session_id=wired.pk, content="read them all")
    wait_until(lambda: "compaction_start" in types(wired))
    runs.cancel(session_id=wired.pk)
    assert wait_idle(wired).phase == Session.Phase.CANCELLED
    (start,) = frames(wired, "compaction_start")
    (end,) = frames(wired, "compaction_end")
    assert (end["outcome"], end.get("error")) == ("cancelled", None)
    before, execution = start["estimatedTokens"], start["executionId"]
    assert tried(wired) == [("mid_loop", "cancelled", None, before, "", execution)]
    assert counters(wired) == {"acts": 1}


def test_a_summary_that_fails_inside_a_run_is_ended_once_and_counted_as_an_error(
    wired: Session, wire: Wire
) -> None:
    over_the_line(wire, wired)
    wire.script(BAD, BAD)
    assert run(wired, "read them all").phase == Session.Phase.COMPLETED
    (start,) = frames(wired, "compaction_start")
    (end,) = frames(wired, "compaction_end")
    error = "it holds 0 complete handoff blocks instead of one"
    assert (end["outcome"], end["error"]) == ("failed", error)
    before, execution = start["estimatedTokens"], start["executionId"]
    assert tried(wired) == [("mid_loop", "failed", None, before, error, execution)]
    assert counters(wired) == {"acts": 1, "errors": 1}
