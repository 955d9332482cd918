"""Lets a scenario die at place after place, and keeps what was left each time."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.kill.invariants import check_after, check_state, check_sweep
from tests.kill.processes import Zygote


@dataclass(frozen=True)
class Death:
    """What a process left that died at a place; the same after the sweep, and after a message."""

    place: str
    left: dict[str, Any]
    buried: int
    swept: dict[str, Any]
    after: dict[str, Any]


def places(points: Sequence[str], first: str) -> list[int]:
    """The places worth dying at, from the first of this name on.

    Left out are those between two statements of one transaction: nothing that another process can
    see has changed there.
    """
    inside = [point.startswith("after ") and point.split()[1].isupper() for point in points]
    around = zip([False, *inside], inside, [*inside[1:], False], strict=False)
    begin = points.index(first) + 1
    return [n for n, three in enumerate(around, 1) if n >= begin and not all(three)]


def aftermath(zygote: Zygote, session: int, place: str = "") -> Death:
    """What is left of the session now, after a sweep, and after another message."""
    return Death(place, **zygote.run("survive", session=session).told)


def die(zygote: Zygote, scenario: str, at: int) -> Death:
    """One death and what came after it."""
    end = zygote.run(scenario, at=at)
    assert end.code < 0, f"{scenario} did not die at {at}"
    return aftermath(zygote, end.session, f"{scenario}, place {at}")


def die_everywhere(
    zygotes: Sequence[Zygote], scenario: str, *, first: str, step: int = 1
) -> list[Death]:
    """A death at each place from `first` on (at each `step`-th), one process a zygote at a time."""
    end = zygotes[0].run(scenario)
    assert end.code == 0
    chosen = places(end.points, first)[::step]
    with ThreadPoolExecutor(len(zygotes)) as pool:
        shares = [chosen[number :: len(zygotes)] for number in range(len(zygotes))]
        tasks = [
            pool.submit(lambda z, share: [die(z, scenario, at) for at in share], zygote, share)
            for zygote, share in zip(zygotes, shares, strict=True)
        ]
        return [death for task in tasks for death in task.result()]


def check(death: Death) -> None:
    """Assert all that must hold of it."""
    for stored in (death.left, death.swept, death.after):
        check_state(stored)
    check_sweep(death.left, death.buried, death.swept)
    check_after(death.swept, death.after)
