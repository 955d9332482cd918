"""Compares the parts of a model request with the request before: what a cache can reuse."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Change = Literal["new", "same", "changed", "gone"]

MESSAGES = "messages"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a request, in wire order. `identity` is equal exactly when the content is."""

    key: str
    label: str
    tokens: int
    identity: str


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """A part and what became of it since the request before; gone ones are parts of that one."""

    part: Part
    change: Change


@dataclass(frozen=True, slots=True)
class Comparison:
    """`stable_prefix_tokens` are those of what both requests begin with.

    `first_changed_key` is where they part, None when they are the same.
    """

    parts: tuple[ChangedPart, ...]
    stable_prefix_tokens: int
    first_changed_key: str | None


def compare(
    now: Sequence[Part], before: Sequence[Part] = (), *, common_message_tokens: int = 0
) -> Comparison:
    """The parts of `now` with their changes; what is gone stands where it stood in `before`.

    Keys are unique within a request. `common_message_tokens` are those of the messages that both
    histories begin with: they belong to the stable prefix where the history has only grown.
    """
    earlier = {part.key: part for part in before}
    changed = [ChangedPart(part, _change(part, earlier.get(part.key))) for part in now]
    equal = _equal_leading(now, before)
    stable = sum(part.tokens for part in now[:equal])
    reached = [*now[equal : equal + 1], *before[equal : equal + 1]]
    if [part.key for part in reached] == [MESSAGES, MESSAGES]:
        stable += min(common_message_tokens, reached[0].tokens)
    parts = _with_gone(changed, now, before)
    return Comparison(tuple(parts), stable, _first_changed(now, before, equal))


def _change(part: Part, earlier: Part | None) -> Change:
    if earlier is None:
        return "new"
    return "same" if part.identity == earlier.identity else "changed"


def _equal_leading(now: Sequence[Part], before: Sequence[Part]) -> int:
    """How many leading parts have the same key and content."""
    for index, (new, old) in enumerate(zip(now, before, strict=False)):
        if (new.key, new.identity) != (old.key, old.identity):
            return index
    return min(len(now), len(before))


def _with_gone(
    changed: list[ChangedPart], now: Sequence[Part], before: Sequence[Part]
) -> list[ChangedPart]:
    """Each part that is gone goes behind the one that it stood behind."""
    kept = {part.key for part in now}
    place = 0
    for old in before:
        if old.key not in kept:
            changed.insert(place, ChangedPart(old, "gone"))
            place += 1
        else:
            place = 1 + next(index for index, row in enumerate(changed) if row.part.key == old.key)
    return changed


def _first_changed(now: Sequence[Part], before: Sequence[Part], equal: int) -> str | None:
    kept = {part.key for part in now}
    if equal < len(before) and before[equal].key not in kept:
        return before[equal].key
    if equal < len(now):
        return now[equal].key
    return None
