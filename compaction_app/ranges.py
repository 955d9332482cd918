"""Where to cut: which groups of the history the summary stands for. Pure.

A cut k summarises `groups[:k]` and keeps `groups[k:]`. It is allowed where nothing that belongs
together is separated: a call and its results (a group; and all ids left of the cut are lower than
all right of it, so that one boundary id says it all), a signed thinking block and its loop, a user
message and the round that it started.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from agent.history import Group
from compaction_app.policy import SHARES


@dataclass(frozen=True, slots=True)
class Cut:
    """The first `groups` groups, `messages` messages as sent, up to the stored `boundary_id`."""

    groups: int
    messages: int
    boundary_id: int
    tokens: int


def tail_budget(*, window: int | None, tier: str, above: int, forced: bool) -> int:
    """Tokens to keep: the tier's share of the window; forced, at most half of what there is."""
    budget = int((window if window is not None else above) * SHARES[tier])
    return min(budget, above // 2) if forced else budget


def choose(
    groups: Sequence[Group], *, budget: int, window: int | None, smallest: bool = False
) -> Cut | None:
    """The cut whose tail first reaches `budget` tokens, moved to the nearest allowed place.

    It moves back, keeping more; if that would keep more than half the window, forward instead, at
    most to the last complete round (or the new user message). `smallest`: at once to there. None:
    nothing lies before what must be kept.
    """
    allowed = allowed_cuts(groups)
    if not allowed:
        return None
    totals = [0, *accumulate(group.tokens for group in groups)]
    if smallest:
        return _cut(groups, allowed[-1], totals)
    wanted = next(
        k for k in range(len(groups), -1, -1) if k == 0 or totals[-1] - totals[k] >= budget
    )
    back = [k for k in allowed if k <= wanted]
    most = totals[-1] if window is None else window // 2
    if back and totals[-1] - totals[back[-1]] <= most:
        return _cut(groups, back[-1], totals)
    forward = [k for k in allowed if k > wanted and totals[-1] - totals[k] <= most]
    return _cut(groups, forward[0] if forward else allowed[-1], totals)


def allowed_cuts(groups: Sequence[Group]) -> list[int]:
    """All allowed cuts, rising. The newest round, or the newest user message, is never cut away."""
    last = _last_round(groups)
    highest = list(accumulate((_highest_id(group) for group in groups), max))
    lowest = list(accumulate((_lowest_id(group) for group in reversed(groups)), min))[::-1]
    held = _inside_signed_loop(groups)
    return [
        k
        for k in range(1, last + 1)
        if groups[k - 1].head.role != "user" and not held[k] and 0 < highest[k - 1] < lowest[k]
    ]


def _last_round(groups: Sequence[Group]) -> int:
    """Where the newest round begins: the last group, with the user message right before it."""
    last = len(groups) - 1
    if last > 0 and groups[last].head.role != "user" and groups[last - 1].head.role == "user":
        return last - 1
    return max(last, 0)


def _inside_signed_loop(groups: Sequence[Group]) -> list[bool]:
    """For each k: whether cutting before group k separates a signed block from the rest of its
    loop.
    """
    held, signed = [], False
    for group in groups:
        if group.head.role == "user":
            signed = False
        held.append(signed)
        signed = signed or any(block.signature or block.redacted for block in group.head.thinking)
    return held


def _ids(group: Group) -> list[int]:
    messages = [group.head, *(result for result in group.results if result)]
    return [message.id for message in messages if message.id is not None]


def _highest_id(group: Group) -> int:
    return max(_ids(group), default=0)


def _lowest_id(group: Group) -> int:
    return min(_ids(group), default=2**63)


def _cut(groups: Sequence[Group], k: int, totals: Sequence[int]) -> Cut:
    chosen = groups[:k]
    return Cut(
        groups=k,
        messages=sum(1 + len(group.results) for group in chosen),
        boundary_id=max(map(_highest_id, chosen)),
        tokens=totals[k],
    )
