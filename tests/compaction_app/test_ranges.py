from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.history import Group, History
from agent.messages import Message
from agent.testing import check_pairs, make_history
from agent.tokens import TokenEstimator
from compaction_app.ranges import allowed_cuts, choose, tail_budget
from tests.compaction_app.histories import answer, asks, numbered, result, stored, user


def history(*messages: Message) -> History:
    return make_history(*numbered(list(messages)))


def cuts(*messages: Message) -> list[int]:
    return allowed_cuts(history(*messages).groups)


def test_it_cuts_only_between_rounds() -> None:
    assert cuts(user(), asks("a", "b"), result("a"), result("b"), user(), answer()) == [2]


def test_the_newest_round_is_never_cut_away() -> None:
    assert cuts(user(), answer()) == []
    assert cuts(user(), answer(), user()) == [2]


def test_a_user_message_stays_with_the_round_it_started() -> None:
    assert cuts(user(), answer(), user(), asks("a"), result("a"), answer()) == [2, 4]


def test_user_messages_that_started_no_round_may_be_cut_after() -> None:
    assert cuts(user(), answer(), user("a"), user("b"), user("c")) == [2, 3, 4]
    assert cuts(user("a"), user("b"), user("c"), answer()) == [1, 2]


def test_signed_thinking_stays_with_its_loop() -> None:
    signed = asks("a", signed=True)
    loop = [user(), signed, result("a"), asks("b"), result("b")]
    assert cuts(*loop, answer("end"), user(), answer()) == [4]


def test_unsigned_loops_may_be_cut_inside() -> None:
    loop = [user(), asks("a"), result("a"), asks("b"), result("b")]
    assert cuts(*loop, answer("end")) == [2, 3]


def test_a_late_result_forbids_all_cuts_before_it() -> None:
    assert cuts(user(), asks("a"), user("more"), answer(), result("a"), user(), answer()) == [4]


def test_a_history_of_one_user_message_has_no_cut() -> None:
    assert cuts(user()) == []
    assert cuts() == []


def rounds(count: int) -> History:
    messages: list[Message] = []
    for n in range(count):
        messages += [user(f"question {n}"), asks(f"c{n}"), result(f"c{n}", "word " * 100), answer()]
    return history(*messages)


def test_the_tail_is_what_first_reaches_the_budget() -> None:
    groups = rounds(10).groups
    cut = choose(groups, budget=300, window=10_000)
    assert cut is not None
    kept = sum(group.tokens for group in groups[cut.groups :])
    assert 300 <= kept < 300 + 250
    assert cut.boundary_id == groups[cut.groups - 1].head.id


def test_the_boundary_is_the_last_result_of_a_batch() -> None:
    batch = [user(), asks("a", "b"), result("a"), result("b")]
    cut = choose(history(*batch, user(), answer()).groups, budget=1, window=10_000)
    assert cut is not None
    assert (cut.messages, cut.boundary_id) == (4, numbered(batch)[-1].id)


def test_it_moves_forward_where_the_tail_would_fill_half_the_window() -> None:
    signed = [user(), asks("a", signed=True), result("a", "word " * 900), asks("b"), result("b")]
    groups = history(user(), answer(), *signed, answer("x " * 50), user(), answer()).groups
    back = choose(groups, budget=100, window=100_000)
    forward = choose(groups, budget=100, window=1_000)
    assert back is not None
    assert forward is not None
    assert (back.groups, forward.groups) == (2, 6)


def test_the_smallest_tail_is_the_last_round() -> None:
    groups = rounds(4).groups
    cut = choose(groups, budget=10**9, window=10**9, smallest=True)
    assert cut is not None
    assert cut.groups == len(groups) - 1


@pytest.mark.parametrize(
    ("tier", "forced", "budget"),
    [("light", False, 80), ("standard", False, 160), ("heavy", False, 240), ("heavy", True, 50)],
)
def test_tiers_keep_a_share_and_force_at_most_half(tier: str, forced: bool, budget: int) -> None:
    assert tail_budget(window=1_000, tier=tier, above=100, forced=forced) == budget


@given(stored, st.integers(0, 9))
def test_whatever_went_unanswered_a_new_message_is_all_that_must_be_kept(
    messages: list[Message], unanswered: int
) -> None:
    known = len(messages)
    messages = numbered([*messages, *[user(f"again {n}") for n in range(unanswered)], user("new")])
    groups = History(TokenEstimator(), messages).groups
    for window in (None, 500, 4_000):
        cut = choose(groups, budget=10**6, window=window, smallest=True)
        assert (cut is None) == (len(groups) == 1)
        if cut is not None:
            assert cut.groups == len(groups) - 1
            assert cut.boundary_id == max(m.id or 0 for m in messages[:-1] if _is_sent(m, groups))
    assert set(range(len(groups) - unanswered, len(groups))) - {0} <= set(allowed_cuts(groups))
    assert known + unanswered + 1 == len(messages)


def _is_sent(message: Message, groups: Sequence[Group]) -> bool:
    return any(message.id == each.id for group in groups for each in group.sent())


@given(stored, st.integers(0, 5_000), st.sampled_from([None, 500, 4_000]), st.booleans())
def test_whatever_is_cut_both_sides_are_sound(
    messages: list[Message], budget: int, window: int | None, smallest: bool
) -> None:
    whole = History(TokenEstimator(), messages)
    cut = choose(whole.groups, budget=budget, window=window, smallest=smallest)
    if cut is None:
        return
    check_pairs(whole.messages()[: cut.messages])
    gone = History(TokenEstimator(), [m for m in messages if (m.id or 0) <= cut.boundary_id])
    assert [m.content for m in gone.messages()] == [
        m.content for m in whole.messages()[: cut.messages]
    ]
    rest = History(TokenEstimator(), [m for m in messages if (m.id or 0) > cut.boundary_id])
    check_pairs(rest.messages())
    assert cut.boundary_id in [m.id for m in messages]
    kept = whole.messages()[cut.messages :]
    assert [m.content for m in rest.messages()] == [m.content for m in kept]
    assert kept[0].role != "tool"
    signed = [m for m in whole.messages()[: cut.messages] if m.thinking]
    if signed:
        later = kept[: next((i for i, m in enumerate(kept) if m.role == "user"), len(kept))]
        after = whole.messages()[whole.messages().index(signed[-1]) : cut.messages]
        assert not later or any(m.role == "user" for m in after)
