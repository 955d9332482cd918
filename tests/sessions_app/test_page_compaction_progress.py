from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sessions_app.claims import LiveClaim
from sessions_app.page.compaction_progress import Progress, Told, derived

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = LiveClaim("e1", "run", "", False)
ALONE = LiveClaim("m1", "compaction", "", False)
QUEUED = ("compaction_queued", {"queued": True})
RESULT = ("compaction_result", {"outcome": "cancelled"})


def start(trigger: str) -> tuple[str, dict[str, Any]]:
    data = {"triggerMode": trigger, "messageCount": 41, "estimatedTokens": 9_000}
    return "compaction_start", data


def end(outcome: str, saved: int = 0, **error: str) -> tuple[str, dict[str, Any]]:
    return "compaction_end", {"outcome": outcome, "savedTokens": saved, **error}


def after(*frames: tuple[str, dict[str, Any]], live: LiveClaim | None, run: str = "e1") -> Progress:
    """The state after these frames, which came a second apart."""
    told = [
        Told(type_, run, data, NOON + timedelta(seconds=number))
        for number, (type_, data) in enumerate(frames)
    ]
    return derived(told[::-1], live)


def at(seconds: int) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_it_is_idle_before_anything_was_asked() -> None:
    assert after(live=None) == after(live=RUN) == Progress()


def test_a_click_during_a_run_is_queued() -> None:
    assert after(QUEUED, live=RUN) == Progress("queued")


def test_a_queued_click_waits_through_an_automatic_compaction() -> None:
    working = Progress("working", "mid_loop", messages=41, tokens=9_000, queued=True, at=at(0))
    assert after(start("mid_loop"), QUEUED, live=RUN) == working
    assert after(start("mid_loop"), QUEUED, end("compacted", 5), live=RUN) == Progress("queued")


def test_a_click_that_was_served_is_queued_no_more() -> None:
    shown = after(QUEUED, start("manual"), end("compacted", 5), live=RUN)
    assert shown == Progress("compacted", "manual", saved=5, at=at(2))
    assert not after(QUEUED, start("manual"), live=RUN).queued


def test_at_work_it_says_why_and_how_much() -> None:
    expected = Progress("working", "mid_loop", messages=41, tokens=9_000, at=at(0))
    assert after(start("mid_loop"), live=RUN) == expected


def test_an_idle_one_is_at_work_before_its_first_frame() -> None:
    assert after(live=ALONE) == Progress("working", "manual", alone=True)


def test_an_idle_one_can_be_stopped() -> None:
    shown = after(start("manual"), live=ALONE, run="m1")
    assert (shown.state, shown.alone) == ("working", True)


def test_a_start_of_an_execution_that_died_is_not_at_work() -> None:
    assert after(start("mid_loop"), live=None) == Progress()


@pytest.mark.parametrize("outcome", ["nothing_to_compact", "failed", "conflict", "cancelled"])
def test_it_says_how_the_last_one_ended(outcome: str) -> None:
    told = ("compaction_result", {"outcome": outcome})
    shown = after(start("manual"), end(outcome, error="no credit"), told, live=None)
    assert shown == Progress(outcome, "manual", error="no credit", at=at(2))


def test_a_dropped_click_is_told_even_after_a_success() -> None:
    frames = (start("mid_loop"), end("compacted", 5), QUEUED, RESULT)
    assert after(*frames, live=None) == Progress("cancelled", "manual", at=at(3))


def test_an_undo_is_the_last_word() -> None:
    undone = ("compaction_undone", {"boundaryMsgId": None, "compactCount": 0})
    assert after(start("idle"), end("compacted", 5), undone, live=None) == Progress(
        "undone", at=at(2)
    )
