import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction_app.intents import INTENT_TTL_S, Intent, Intents
from tests.compaction_app.clock import Clock

WISH = Intent("full", "standard")
LOOKS: list[Callable[[Intents], Any]] = [
    lambda intents: intents.register(2, WISH),
    lambda intents: intents.peek(2),
    lambda intents: intents.take(2),
    lambda intents: intents.take_expired(2),
]


def made(*, settled: bool = True) -> tuple[Intents, Clock]:
    """The intent of session 1, and the clock it ages by."""
    clock = Clock()
    intents = Intents(clock)
    intents.register(1, WISH)
    if settled:
        intents.settle(1)
    return intents, clock


def test_an_intent_is_seen_by_its_session_only_and_taken_once() -> None:
    intents, _ = made(settled=False)
    assert (intents.peek(2), intents.take(2)) == (None, None)
    assert intents.peek(1) == intents.take(1) == WISH
    assert (intents.peek(1), intents.take(1)) == (None, None)


def test_a_later_one_takes_the_place_of_an_earlier_one() -> None:
    intents, _ = made()
    intents.register(1, Intent("again", "light"))
    assert intents.take(1) == Intent("again", "light")
    assert intents.take(1) is None


def test_it_lives_for_exactly_120_seconds() -> None:
    intents, clock = made()
    assert INTENT_TTL_S == 120
    clock.advance(120)
    assert intents.peek(1) is not None
    clock.advance(0.001)
    assert intents.peek(1) is None
    assert intents.take(1) is None


def test_its_age_counts_only_from_the_rounds_last_result_on() -> None:
    intents, clock = made(settled=False)
    clock.advance(3_600)
    assert intents.peek(1) == WISH
    intents.settle(1)
    clock.advance(119)
    intents.settle(1)
    clock.advance(2)
    assert intents.take(1) is None
    assert intents.take_expired(1) == 1


def test_to_settle_a_session_without_an_intent_does_nothing() -> None:
    intents, _ = made()
    intents.settle(2)
    assert intents.peek(2) is None


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_at_any_session_sweeps_all(look: Callable[[Intents], Any]) -> None:
    intents, clock = made()
    intents.register(3, WISH)
    intents.settle(3)
    clock.advance(INTENT_TTL_S + 1)
    look(intents)
    clock.advance(-INTENT_TTL_S)  # were one of them still there, it would be young again
    assert (intents.peek(1), intents.peek(3)) == (None, None)


def test_expired_ones_are_counted_for_their_session_once() -> None:
    intents, clock = made()
    clock.advance(INTENT_TTL_S + 1)
    intents.register(1, WISH)
    intents.settle(1)
    clock.advance(INTENT_TTL_S + 1)
    assert intents.take_expired(2) == 0
    assert intents.take_expired(1) == 2
    assert intents.take_expired(1) == 0


@given(st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.floats(0, 300)), max_size=20))
def test_each_intent_is_taken_replaced_or_expired(steps: list[tuple[int, float]]) -> None:
    clock = Clock()
    intents = Intents(clock)
    replaced = 0
    for session_id, seconds in steps:
        replaced += intents.peek(session_id) is not None
        intents.register(session_id, WISH)
        intents.settle(session_id)
        clock.advance(seconds)
    taken = sum(intents.take(each) is not None for each in (1, 2, 3))
    expired = sum(intents.take_expired(each) for each in (1, 2, 3))
    assert taken + expired + replaced == len(steps)


def test_threads_share_it_and_lose_nothing() -> None:
    intents, _ = made()
    taken: list[Intent] = []

    def work(session_id: int) -> None:
        for _ in range(200):
            intents.register(session_id, WISH)
            intents.settle(session_id)
            found = intents.take(session_id)
            assert found is not None
            taken.append(found)

    threads = [threading.Thread(target=work, args=(each,)) for each in range(10, 18)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(taken) == 8 * 200
