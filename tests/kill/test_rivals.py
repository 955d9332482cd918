"""Two processes want the same session at the same moment: one gets it."""

import time
from typing import Any

from tests.kill.invariants import check_state
from tests.kill.processes import Zygote

LEAD_S = 0.5  # for both processes to be ready
TIMES = 3


def compete(one: Zygote, *whats: str, event: str = "") -> tuple[list[list[str]], dict[str, Any]]:
    """How they were answered, sorted, and what is stored when all are through."""
    session, start_at = one.run("look").session, time.time() + LEAD_S
    pids = [
        one.start("compete", session=session, what=what, start_at=start_at, event=event)
        for what in whats
    ]
    answers = sorted(one.wait(pid).told for pid in pids)
    stored = one.run("look", session=session).told
    check_state(stored)
    return answers, stored


def count(stored: dict[str, Any], type_: str) -> int:
    return sum(frame["type"] == type_ for frame in stored["frames"])


def test_of_two_messages_one_is_refused_and_not_saved(one: Zygote) -> None:
    for _ in range(TIMES):
        (refused, winner), stored = compete(one, "send", "send")
        assert (refused[0], winner[0]) == ("refused", "started")
        assert refused[1] == winner[1]
        assert [run["execution_id"] for run in stored["runs"]] == [winner[1]]


def test_one_event_from_two_processes_is_one_run(one: Zygote) -> None:
    for _ in range(TIMES):
        (first, second), stored = compete(one, "send", "send", event="e1")
        assert first == second
        assert [run["execution_id"] for run in stored["runs"]] == [first[1]]


def test_two_clicks_are_one_compaction(one: Zygote) -> None:
    for _ in range(TIMES):
        (first, second), stored = compete(one, "compact", "compact")
        assert first == second
        assert count(stored, "compaction_start") == count(stored, "compaction_end") == 1


def test_a_message_and_a_click_come_one_after_the_other(one: Zygote) -> None:
    for _ in range(TIMES):
        answers, stored = compete(one, "send", "compact")
        hows = [how for how, _ in answers]
        assert hows in (["queued", "started"], ["refused", "started"])
        assert answers[0][1] == answers[1][1]
        assert len(stored["runs"]) == hows.count("queued")
        assert count(stored, "compaction_start") == 1
