"""A process dies at every step of a run and of a compaction; nothing that was shown is lost."""

import pytest

from tests.kill.deaths import Death, die, die_everywhere
from tests.kill.invariants import check_after, check_state, check_sweep
from tests.kill.processes import Zygote
from tests.kill.scenarios import TALK

pytestmark = pytest.mark.timeout(300)
WISHES = {f"wish {number}" for number in range(TALK)} | {
    "read a.txt\nread b.txt",
    "read a.txt",
    "read long.txt",
    "go on",
}


def check(death: Death) -> None:
    for stored in (death.left, death.swept, death.after):
        check_state(stored, wishes=WISHES)
    check_sweep(death.left, death.buried, death.swept)
    check_after(death.swept, death.after)


@pytest.mark.parametrize(
    ("scenario", "first", "at_least"),
    [
        ("two_rounds", "before a transaction", 60),
        ("by_hand", "before a transaction", 25),
        ("queued", "a tool runs", 40),
        ("safety_net", "after UPDATE session_claim, alone", 12),
        ("undo", "before a transaction", 4),
    ],
)
def test_it_survives_a_death_at_every_place(
    zygotes: list[Zygote], scenario: str, first: str, at_least: int
) -> None:
    deaths = die_everywhere(zygotes, scenario, first=first)
    assert len(deaths) >= at_least
    for death in deaths:
        print(death.place)
        check(death)
