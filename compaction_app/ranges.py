"""Where to cut: which groups of the history the summary stands for. Pure.

A cut k summarises `groups[:k]` and keeps `groups[k:]`. It is allowed where nothing that belongs
together is separated: a call and its results (a group; and all ids left of the cut are lower than
all right of it, so that one boundary id says it all), a signed thinking block and its loop, a user
message and the round that it started. A user message that started none (its run failed or was
stopped, the next message is the user's again) may be cut after.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

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
    last = _last_round(groups)
    newest = _nearest(groups, range(last, 0, -1))
    if newest is None:
        return None
    if smallest:
        return _cut(groups, newest)
    total = groups[-1].tokens_before + groups[-1].tokens
    wanted = _tail_start(groups, total - budget)
    most = total if window is None else window // 2
    back = _nearest(groups, range(min(wanted, last), 0, -1))
    if back is not None and total - groups[back].tokens_before <= most:
        return _cut(groups, back)
    least = bisect_left(groups, total - most, key=_tokens_before)
    forward = _nearest(groups, range(max(wanted + 1, least, 1), last + 1))
    return _cut(groups, newest if forward is None else forward)


def allowed_cuts(groups: Sequence[Group]) -> list[int]:
    """All allowed cuts, rising. The newest round, or the newest user message, is never cut away."""
    return [k for k in range(1, _last_round(groups) + 1) if _is_allowed(groups, k)]


def _nearest(groups: Sequence[Group], places: range) -> int | None:
    return next((k for k in places if _is_allowed(groups, k)), None)


def _is_allowed(groups: Sequence[Group], k: int) -> bool:
    """Ids rise from head to head, and a result comes after its head: all ids from group k on are at
    least the id of its head.
    """
    kept, head = groups[k], groups[k - 1].head
    started_it = head.role == "user" and kept.head.role != "user"
    ends_whole = not started_it and not kept.signed_before
    return ends_whole and 0 < kept.highest_id_before < (kept.head.id or 0)


def _last_round(groups: Sequence[Group]) -> int:
    """Where the newest round begins: the last group, with the user message right before it."""
    last = len(groups) - 1
    if last > 0 and groups[last].head.role != "user" and groups[last - 1].head.role == "user":
        return last - 1
    return max(last, 0)


def _tokens_before(group: Group) -> int:
    return group.tokens_before


def _tail_start(groups: Sequence[Group], most_before: int) -> int:
    """The last k with at most so many tokens before it, 0 if there is none."""
    if most_before >= groups[-1].tokens_before + groups[-1].tokens:
        return len(groups)
    return max(0, bisect_right(groups, most_before, key=_tokens_before) - 1)


def _cut(groups: Sequence[Group], k: int) -> Cut:
    kept = groups[k]
    return Cut(
        groups=k,
        messages=kept.messages_before,
        boundary_id=kept.highest_id_before,
        tokens=kept.tokens_before,
    )
