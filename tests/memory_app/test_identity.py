"""What makes two memories one."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.identity import dedup_hash, normalised, project_hash

SPACE = st.text(" \t\n\r\u3000", min_size=1, max_size=3)


@given(st.lists(st.text("aé日B", min_size=1, max_size=5), min_size=1, max_size=5), st.data())
def test_it_is_the_same_however_words_are_spaced_and_composed(
    words: list[str], data: st.DataObject
) -> None:
    one = " ".join(words)
    other = "".join(word + data.draw(SPACE) for word in words)
    spelled = unicodedata.normalize("NFD", other)
    assert dedup_hash("USER", "", spelled) == dedup_hash("USER", "", one)


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    "other",
    [
        ("USER", "", "tabs"),
        ("PROJECT", "e1", "Tabs"),
        ("PROJECT", "E1", "Tabs"),
        ("PROJECT", "é1", "Tabs"),
        ("PROJECT", "|Tabs", ""),
    ],
)
def test_it_is_another_in_another_place_or_case(other: tuple[str, str, str]) -> None:
    assert dedup_hash(*other) != dedup_hash("USER", "", "Tabs")


def test_projects_are_told_apart_where_a_collation_would_not() -> None:
    assert len({project_hash(key) for key in ("e1", "E1", "é1", "e1 ")}) == 4
    assert project_hash("") == ""
