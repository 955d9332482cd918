"""A readable difference of two texts, line by line."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice, zip_longest

MAX_LINES = 2_000  # of either text; comparing more takes too long for a page
CONTEXT_LINES = 2
LINE_CHARS = 300  # of a longer line this much is shown, where it differs
LEAD_CHARS = 60  # of what is the same before that
LINE_COST = 40  # characters of markup around a line
HEADER_LINES = 2


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`mark`: "+" only in the new text, "-" only in the old, " " in both, "…" lines left out.

    `text` has "…" where it was cut.
    """

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
    return _fitting(_lines(islice(found, HEADER_LINES + 1, None)), budget)


def added_lines(text: str, *, budget: int) -> list[DiffLine]:
    """A text of which all is new, as much as `budget` characters hold; then "…"."""
    return _fitting((DiffLine("+", _cut(line)) for line in text.splitlines()), budget)


def _fitting(lines: Iterable[DiffLine], budget: int) -> list[DiffLine]:
    fitting: list[DiffLine] = []
    for line in lines:
        budget -= line.cost
        if budget < 0:
            return [*fitting, LEFT_OUT]
        fitting.append(line)
    return fitting


def _lines(found: Iterable[str]) -> Iterator[DiffLine]:
    for changed, group in groupby(found, key=lambda text: text[0] in "-+"):
        if changed:
            yield from _changed(list(group))
        else:
            yield from map(_line, group)


def _line(text: str) -> DiffLine:
    return LEFT_OUT if text.startswith("@@") else DiffLine(text[0], _cut(text[1:]))


def _changed(block: list[str]) -> list[DiffLine]:
    """Old lines, then the new ones; each long one from where it differs from its counterpart."""
    old, new = ([text[1:] for text in block if text[0] == mark] for mark in "-+")
    starts = [_start(*pair) for pair in zip_longest(old, new, fillvalue="")]
    return [
        DiffLine(mark, _cut(text, start))
        for mark, texts in (("-", old), ("+", new))
        for text, start in zip(texts, starts, strict=False)
    ]


def _start(old: str, new: str) -> int:
    """Where to begin to show two lines, so that what differs is in sight."""
    pairs = enumerate(zip(old, new, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    short = max(len(old), len(new)) <= LINE_CHARS
    return 0 if short or same < LINE_CHARS // 2 else same - LEAD_CHARS


def _cut(text: str, start: int = 0) -> str:
    end = start + LINE_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
