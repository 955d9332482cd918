"""A readable difference of two texts, line by line."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MAX_LINES = 2_000  # of either text; comparing more takes too long for a page
CONTEXT_LINES = 2
LINE_CHARS = 300
LINE_COST = 40  # characters of markup around a line
HEADER_LINES = 2


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`mark`: "+" only in the new text, "-" only in the old, " " in both, "…" lines left out."""

    mark: str
    text: str

    @property
    def cost(self) -> int:
        """Characters that the line takes in a page."""
        return len(self.text) + LINE_COST


LEFT_OUT = DiffLine("…", "")


def line_diff(old: str, new: str, *, budget: int) -> list[DiffLine] | None:
    """The lines around what differs, as many as `budget` characters hold; then "…".

    None when a text is too long to compare.
    """
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return None
    found = difflib.unified_diff(before, after, n=CONTEXT_LINES, lineterm="")
    return _fitting((_line(text) for text in islice(found, HEADER_LINES + 1, None)), budget)


def added_lines(text: str, *, budget: int) -> list[DiffLine]:
    """A text of which all is new, as much as `budget` characters hold; then "…"."""
    return _fitting((DiffLine("+", line[:LINE_CHARS]) for line in text.splitlines()), budget)


def _fitting(lines: Iterable[DiffLine], budget: int) -> list[DiffLine]:
    fitting: list[DiffLine] = []
    for line in lines:
        budget -= line.cost
        if budget < 0:
            return [*fitting, LEFT_OUT]
        fitting.append(line)
    return fitting


def _line(text: str) -> DiffLine:
    if text.startswith("@@"):
        return LEFT_OUT
    return DiffLine(text[0], text[1:][:LINE_CHARS])
