from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from compaction_app.models import SessionCompactionEvent
from sessions_app import claims, compactions, runs
from sessions_app.models import Claim, Session
from tests.sessions_app.compacting import HANDOFF, HANGING
from tests.sessions_app.interrupting import ctrl_c_when
from tests.sessions_app.running import types, wait_idle, wait_until
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")


def compact(session: Session, *options: str) -> list[str]:
    output = StringIO()
    call_command("compact", str(session.pk), *options, stdout=output)
    return output.getvalue().splitlines()


def test_an_idle_session_is_compacted_here(talked: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    start, end = compact(talked, "--tier", "light", "--instructions", "the retries")
    event = SessionCompactionEvent.objects.get()
    assert start == f"compacting 4 messages by hand, about {event.before_tokens:,} tokens ..."
    assert end.startswith(f"compacted: saved {event.saved_tokens:,} tokens, the summary has ")
    assert (event.tier, event.outcome) == ("light", "compacted")
    assert wire.requests()[-1].body["messages"][-1]["content"].endswith("the retries")
    assert claims.current(talked.pk) is None


def test_nothing_to_compact_is_no_failure(wired: Session) -> None:
    assert compact(wired)[-1] == "nothing to compact"


def test_a_failure_is_told_and_fails(talked: Session, wire: Wire) -> None:
    wire.script(*[{"when": "<handoff>", "text": "Sure!"}] * 2)
    with pytest.raises(CommandError, match=r"The context was not compacted: failed\."):
        compact(talked)


def test_a_run_elsewhere_gets_the_flag_and_is_waited_for(talked: Session, wire: Wire) -> None:
    wire.script({"text": "slow answer", "piece": 1, "pause": 0.1}, HANDOFF)
    runs.start(session_id=talked.pk, content="talk")
    wait_until(lambda: len(wire.requests()) == 2)
    lines = compact(talked)
    assert lines[0] == "A run is in progress; the compaction comes after its round."
    assert lines[-1].startswith("compacted: saved ")
    assert wait_idle(talked).phase == "COMPLETED"


def test_a_flag_that_is_dropped_is_told(talked: Session, wire: Wire) -> None:
    wire.script({"text": "slow answer", "hang_after": 1})
    runs.start(session_id=talked.pk, content="talk")
    runs.cancel(session_id=talked.pk)
    with pytest.raises(CommandError, match="not compacted: cancelled"):
        compact(talked)
    wait_idle(talked)


def test_ctrl_c_cancels_what_was_started_here(talked: Session, wire: Wire) -> None:
    wire.script(HANGING)
    with (
        ctrl_c_when(lambda: "compaction_start" in types(talked)),
        pytest.raises(CommandError, match="Cancelled; nothing was changed") as caught,
    ):
        compact(talked)
    assert caught.value.returncode == 130
    assert SessionCompactionEvent.objects.get().outcome == "cancelled"
    assert claims.current(talked.pk) is None


def test_ctrl_c_leaves_a_queued_one_to_the_run(running: Session) -> None:
    with (
        ctrl_c_when(lambda: Claim.objects.filter(compact_requested=True).exists()),
        pytest.raises(CommandError, match="it stays queued") as caught,
    ):
        compact(running)
    assert caught.value.returncode == 130
    assert Claim.objects.get().compact_requested


def test_a_compaction_in_progress_is_waited_for(talked: Session, wire: Wire) -> None:
    wire.script({**HANDOFF, "delay": 1})
    compactions.request(session_id=talked.pk)
    assert compact(talked)[-1].startswith("compacted: saved ")
    assert SessionCompactionEvent.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--tier", "tiny"], "invalid choice: 'tiny' .choose from 'light', 'standard', 'heavy'."),
        (["--instructions", "x" * 2_001], "--instructions: Too long; allowed: at most 2000 char"),
    ],
)
def test_bad_options_are_named(session: Session, options: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        compact(session, *options)
    assert types(session) == []


def test_a_session_deleted_meanwhile_is_told(talked: Session, wire: Wire) -> None:
    wire.script(HANGING)

    def deleted() -> bool:
        if "compaction_start" not in types(talked):
            return False
        Session.objects.filter(pk=talked.pk).delete()
        return True

    with ctrl_c_when(deleted), pytest.raises(CommandError, match="deleted"):
        compact(talked)
