"""The rows of the table: what, goal, measured, reached or not."""

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

MARKS = {True: "ok", False: "MISSED", None: "-"}


@dataclass(frozen=True)
class Figure:
    """One line of the table; `reached` None: there is nothing to compare with."""

    what: str
    goal: str
    measured: str
    reached: bool | None = None


def at_most(what: str, limit: float, measured: float, unit: str = "x") -> Figure:
    """A figure that should not be larger than `limit`."""
    return Figure(what, f"<= {_shown(limit)}{unit}", f"{_shown(measured)}{unit}", measured <= limit)


def at_least(what: str, limit: float, measured: float, unit: str = "x") -> Figure:
    """A figure that should not be smaller than `limit`."""
    return Figure(what, f">= {_shown(limit)}{unit}", f"{_shown(measured)}{unit}", measured >= limit)


def beside(what: str, measured: float, unit: str = "x") -> Figure:
    """A figure without a goal, which explains others."""
    return Figure(what, "", f"{_shown(measured)}{unit}")


def missing(what: str, goal: str, why: str) -> Figure:
    """A figure that can't be had here."""
    return Figure(what, goal, why)


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def hand_over(figures: Iterable[Figure]) -> None:
    """The end of every benchmark: lines of JSON for `--json`, else the table."""
    found = list(figures)
    if "--json" in sys.argv:
        for figure in found:
            print(json.dumps(asdict(figure)))
    else:
        print(table(found))


def table(figures: Iterable[Figure]) -> str:
    """The figures, aligned."""
    rows = [("figure", "goal", "measured", "")]
    rows += [(f.what, f.goal, f.measured, MARKS[f.reached]) for f in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])
