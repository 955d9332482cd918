"""No session is dead for good: after messages without an answer, a paste that fits nowhere, or a
summary that was too long, the next message is answered.
"""

from typing import Any

import pytest

from agent.tokens import TokenEstimator
from compaction_app.models import SessionCompaction
from sessions_app import runs
from sessions_app.models import Message, Session
from tests.sessions_app.compacting import HANDOFF, texts, tried, users
from tests.sessions_app.running import compact, frames, run, said, wait_idle, wait_until
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")

LIMIT = 2_000  # of a summary in the window of `wired`
BROKEN = {"status": 400, "body": {"error": {"message": "being reloaded"}}}
HUGE = {"when": "<handoff>", "text": f"<handoff>{'word ' * 9_000}</handoff>"}


def answered(session: Session, text: str) -> bool:
    return run(session, text).phase == Session.Phase.COMPLETED


def outcomes(session: Session) -> list[tuple[Any, ...]]:
    return [each[:2] for each in tried(session)]


def hanging(wire: Wire) -> int:
    return sum("hang_after" in request.reply for request in wire.requests())


def test_after_a_paste_that_fits_nowhere_the_next_message_is_answered(
    wired: Session, wire: Wire
) -> None:
    assert answered(wired, "hello")
    paste = ("begin " + "paste " * 24_000).strip()
    assert not answered(wired, paste)
    error = frames(wired, "error")[-1]["message"]
    assert "the window of wire has 20,000" in error
    assert not SessionCompaction.objects.exists()
    assert answered(wired, "never mind")
    assert outcomes(wired)[-1][1] == "compacted"
    carried, *rest = texts(wire.requests()[-1].body, "user")
    assert rest == ["never mind"]
    assert "> hello\n> begin paste" in carried
    assert "[... shortened: 1" in carried
    assert TokenEstimator().text(SessionCompaction.objects.get().summary_text) <= LIMIT
    assert users(wired) == ["hello", paste, "never mind"]


def test_a_first_message_that_fits_nowhere_harms_no_more_than_its_own_run(wired: Session) -> None:
    assert not answered(wired, "paste " * 24_000)
    assert answered(wired, "small")
    compact(wired)
    assert answered(wired, "smaller")


def test_after_many_runs_that_failed_the_next_message_is_answered(
    wired: Session, wire: Wire
) -> None:
    assert answered(wired, "hello")
    for n in range(7):
        wire.script(HANDOFF, BROKEN)
        assert not answered(wired, f"wish {n} " + "word " * 2_800)
    assert answered(wired, "better now?")
    assert ("request_start", "compacted") in outcomes(wired)
    assert texts(wire.requests()[-1].body, "user")[-1] == "better now?"


def test_after_many_runs_that_were_stopped_the_next_message_is_answered(
    wired: Session, wire: Wire
) -> None:
    assert answered(wired, "hello")
    for n in range(5):
        wire.script(HANDOFF, {"hang_after": 0})
        runs.start(session_id=wired.pk, content=f"wish {n} " + "word " * 3_800)
        wait_until(lambda: hanging(wire) == n + 1)  # noqa: B023 - called at once
        runs.cancel(session_id=wired.pk)
        assert wait_idle(wired).phase == Session.Phase.CANCELLED
    assert [role for role, _ in said(wired)] == ["user", "assistant", *["user"] * 5]
    assert answered(wired, "and now")
    assert "compacted" in [outcome for _, outcome in outcomes(wired)]


def test_a_summary_over_its_limit_is_refused_and_told(talked: Session, wire: Wire) -> None:
    wire.script(HUGE, HUGE)
    compact(talked)
    end = frames(talked, "compaction_end")[-1]
    assert end["outcome"] == "failed"
    assert end["error"] == "it has about 9,000 tokens, at most 2,000 are allowed"
    assert not SessionCompaction.objects.exists()
    assert "9,000 tokens" in str(wire.requests()[-1].body["messages"][-1])
    assert answered(talked, "go on")


@pytest.mark.parametrize("words", [14_000, 30_000])
def test_a_session_that_holds_an_oversized_summary_recovers(talked: Session, words: int) -> None:
    boundary = Message.objects.filter(session=talked).order_by("id")[1]
    row = SessionCompaction.objects.create(
        session=talked,
        summary_text="> never touch b\n" + "word " * words,
        last_compacted_msg_id=boundary.pk,
        compact_count=1,
    )
    for text in ("one", "two"):
        assert answered(talked, text)
    row.refresh_from_db()
    assert "> never touch b" in row.summary_text
    if words == 30_000:  # it fitted nowhere
        assert TokenEstimator().text(row.summary_text) <= LIMIT
