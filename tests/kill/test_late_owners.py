"""A process that was stopped for longer than its lease finds its work given to others."""

import os
import signal
import time

import pytest

from tests.kill.processes import Zygote

LEASE_S = 1


@pytest.mark.parametrize(
    ("scenario", "place"),
    [
        ("two_rounds", "the model streams"),
        ("two_rounds", "a tool runs"),
        ("two_rounds", "before a transaction"),
        ("two_rounds", "after the commit"),
        ("by_hand", "the model has answered"),
        ("by_hand", "before a transaction"),
    ],
)
def test_it_writes_nothing_any_more(one: Zygote, scenario: str, place: str) -> None:
    points = one.run(scenario).points
    at = 1 + points.index(place, points.index("the model is asked"))
    pid = one.start(scenario, at=at, number=signal.SIGSTOP, lease=LEASE_S)
    stopped = one.wait(pid)
    assert stopped.stopped
    time.sleep(LEASE_S + 0.1)
    try:
        told = one.run("survive", session=stopped.session).told
    finally:
        os.kill(pid, signal.SIGCONT)
        ended = one.wait(pid)
    assert (told["buried"], told["after"]["session"]["phase"]) == (1, "COMPLETED")
    assert ended.code == 0
    assert one.run("look", session=stopped.session).told == told["after"]
