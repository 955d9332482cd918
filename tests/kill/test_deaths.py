"""A process dies at every step of a run and of a compaction; nothing that was shown is lost."""

import os
import signal
import time

import pytest

from tests.kill.deaths import aftermath, check, die_everywhere
from tests.kill.invariants import check_state
from tests.kill.processes import Zygote
from tests.wire.fixture import Wire

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize(
    ("scenario", "first", "step", "at_least"),
    [
        ("two_rounds", "before a transaction", 2, 30),  # every place comes twice
        ("by_hand", "before a transaction", 1, 25),
        ("queued", "a tool runs", 1, 40),
        ("safety_net", "after UPDATE session_claim, alone", 1, 12),
        ("undo", "before a transaction", 1, 4),
    ],
)
def test_it_survives_a_death_at_every_place(
    zygotes: list[Zygote], scenario: str, first: str, step: int, at_least: int
) -> None:
    deaths = die_everywhere(zygotes, scenario, first=first, step=step)
    assert len(deaths) >= at_least
    for death in deaths:
        check(death)


@pytest.mark.parametrize("scenario", ["two_rounds", "by_hand"])
def test_a_sweep_that_dies_is_done_by_the_next(one: Zygote, scenario: str) -> None:
    dead = one.run(scenario, at=20)
    for at in range(1, 20):
        end = one.run("sweep", session=dead.session, at=at)
        check_state(one.run("look", session=dead.session).told)
        if end.code == 0:
            break
    check(aftermath(one, dead.session))


def test_the_next_message_cleans_up_after_one_death_after_another(one: Zygote) -> None:
    session = one.run("look").session
    for number, scenario in enumerate(["two_rounds", "by_hand", "queued", "by_hand", "two_rounds"]):
        assert one.run(scenario, session=session, at=25 + number).code == -signal.SIGKILL
    check(aftermath(one, session))


def test_what_a_hanging_model_said_is_kept_and_marked(one: Zygote, wire: Wire) -> None:
    wire.script({"text": "half an answer that goes on", "hang_after": 4})
    pid = one.start("stream", base_url=wire.base_url, lease=1)
    wire.wait_for(lambda requests: len(requests) == 1, seconds=30)
    session = one.session_of(pid)
    end = time.monotonic() + 20
    while "half" not in one.run("look", session=session).told["claim"]["partial"]:
        assert time.monotonic() < end
    os.kill(pid, signal.SIGKILL)
    assert one.wait(pid).code == -signal.SIGKILL
    death = aftermath(one, session)
    check(death)
    kept = death.swept["messages"][-1]
    assert kept["content"].startswith("half an")
    assert kept["metadata"] == {"interrupted": True}
    sent = wire.requests()[-1].body["messages"]
    assert [m["content"] for m in sent if m["role"] == "assistant"][-1] == kept["content"]


def test_a_holder_of_another_machine_is_dead_when_its_lease_is_over(one: Zygote) -> None:
    dead = one.run("two_rounds", at=40, lease=4)
    for holder in (one.var / "holders").iterdir():
        holder.unlink()
    swept = one.run("expire", session=dead.session, seconds=6).told
    assert swept["at_once"] == 0
    assert swept["left_s"] > 0
    check_state(one.run("look", session=dead.session).told)
