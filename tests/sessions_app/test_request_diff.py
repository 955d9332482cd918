from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.request_diff import MESSAGES, ChangedPart, Comparison, Part, compare

KEYS = ["persona", "environment", "tools", "handoff", MESSAGES, "context_notes"]


def part(key: str, identity: str = "a", tokens: int = 10) -> Part:
    return Part(key, key.title(), tokens, identity)


@st.composite
def requests(draw: Callable[..., object]) -> list[Part]:
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True))
    assert isinstance(keys, list)
    return [
        part(key, draw(st.sampled_from("abc")), draw(st.integers(0, 50)))  # type: ignore[arg-type]
        for key in sorted(keys, key=KEYS.index)
    ]


def test_it_calls_everything_new_without_a_request_before() -> None:
    now = [part("persona"), part(MESSAGES)]
    assert compare(now) == Comparison(
        (ChangedPart(now[0], "new"), ChangedPart(now[1], "new")), 0, "persona"
    )


def test_it_names_each_change_and_where_the_requests_part() -> None:
    before = [part("persona"), part("tools"), part("handoff"), part(MESSAGES, "1-4")]
    now = [part("persona"), part("tools", "b"), part(MESSAGES, "1-4"), part("context_notes")]
    compared = compare(now, before)
    assert [(row.part.key, row.change) for row in compared.parts] == [
        ("persona", "same"),
        ("tools", "changed"),
        ("handoff", "gone"),
        (MESSAGES, "same"),
        ("context_notes", "new"),
    ]
    assert (compared.stable_prefix_tokens, compared.first_changed_key) == (10, "tools")


def test_it_counts_the_common_messages_where_the_history_has_grown() -> None:
    before = [part("persona"), part(MESSAGES, "1-4", tokens=40)]
    now = [part("persona"), part(MESSAGES, "1-6", tokens=60)]
    compared = compare(now, before, common_message_tokens=40)
    assert (compared.stable_prefix_tokens, compared.first_changed_key) == (50, MESSAGES)


def test_it_counts_no_messages_behind_a_part_that_changed() -> None:
    before = [part("persona", "a"), part(MESSAGES, "1-4")]
    now = [part("persona", "b"), part(MESSAGES, "1-6")]
    assert compare(now, before, common_message_tokens=40).stable_prefix_tokens == 0


@pytest.mark.parametrize("gone", ["persona", "context_notes"])
def test_it_sees_the_first_change_in_what_is_gone(gone: str) -> None:
    before = [part("persona"), part(MESSAGES), part("context_notes")]
    now = [row for row in before if row.key != gone]
    assert compare(now, before).first_changed_key == gone


@given(requests())
def test_it_finds_nothing_changed_in_the_same_request(now: list[Part]) -> None:
    total = sum(row.tokens for row in now)
    same = tuple(ChangedPart(row, "same") for row in now)
    assert compare(now, now) == Comparison(same, total, None)


@given(requests(), requests())
def test_it_keeps_every_part_once_and_in_order(now: list[Part], before: list[Part]) -> None:
    rows = compare(now, before).parts
    assert [row.part for row in rows if row.change != "gone"] == now
    kept = [row.part.key for row in rows if row.change != "new"]
    assert kept == [row.key for row in before]


@given(requests(), requests(), st.integers(0, 100))
def test_its_first_changed_key_is_the_first_row_that_is_not_the_same(
    now: list[Part], before: list[Part], common: int
) -> None:
    compared = compare(now, before, common_message_tokens=common)
    changed = [row.part.key for row in compared.parts if row.change != "same"]
    assert compared.first_changed_key == next(iter(changed), None)
    assert 0 <= compared.stable_prefix_tokens <= sum(row.tokens for row in now)
