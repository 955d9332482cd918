from hypothesis import given
from hypothesis import strategies as st

from sessions_app.page.line_diff import (
    LEAD_CHARS,
    LEFT_OUT,
    LINE_CHARS,
    LINE_COST,
    MAX_LINES,
    DiffLine,
    added_lines,
    line_diff,
)

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30)


def test_it_shows_what_differs_and_two_lines_around() -> None:
    old = "\n".join("abcdefgh")
    assert line_diff(old, old.replace("d", "D"), budget=1_000) == [
        DiffLine(" ", "b"),
        DiffLine(" ", "c"),
        DiffLine("-", "d"),
        DiffLine("+", "D"),
        DiffLine(" ", "e"),
        DiffLine(" ", "f"),
    ]


def test_places_far_apart_have_a_gap_between() -> None:
    old = "\n".join("abcdefghijkl")
    marks = [line.mark for line in line_diff(old, f"x\n{old}\ny", budget=9_000) or ()]
    assert marks == ["+", " ", " ", "…", " ", " ", "+"]


def test_it_stops_when_the_budget_is_used_up() -> None:
    new = "\n".join("abcdef")
    assert added_lines(new, budget=2 * LINE_COST + 2) == [
        DiffLine("+", "a"),
        DiffLine("+", "b"),
        LEFT_OUT,
    ]


def test_long_lines_are_cut() -> None:
    (line,) = added_lines("x" * 1_000, budget=1_000)
    assert line == DiffLine("+", "x" * LINE_CHARS + "…")


def test_long_lines_are_shown_where_they_differ() -> None:
    same = "a" * 1_000
    found = line_diff(f"{same}b\nshort", f"{same}{'c' * 1_000}\n{same}", budget=9_000)
    assert found == [
        DiffLine("-", "…" + "a" * LEAD_CHARS + "b"),
        DiffLine("-", "short"),
        DiffLine("+", "…" + "a" * LEAD_CHARS + "c" * (LINE_CHARS - LEAD_CHARS) + "…"),
        DiffLine("+", "a" * LINE_CHARS + "…"),
    ]


@given(st.text(alphabet="ab", max_size=3 * LINE_CHARS), st.text(alphabet="ab", min_size=1))
def test_what_differs_is_in_sight(same: str, more: str) -> None:
    found = line_diff(f"x{same}", f"x{same}{more}", budget=9_000) or []
    assert len({line.text for line in found}) == 2


def test_texts_that_would_take_too_long_are_not_compared() -> None:
    assert line_diff("", "x\n" * (MAX_LINES + 1), budget=1_000) is None


@given(LINES, LINES, st.integers(0, 2_000))
def test_it_keeps_its_budget_and_tells_only_what_is_there(
    old: list[str], new: list[str], budget: int
) -> None:
    found = line_diff("\n".join(old), "\n".join(new), budget=budget) or []
    assert sum(line.cost for line in found) <= budget + LEFT_OUT.cost
    assert {line.text for line in found if line.mark == "-"} <= set(old)
    assert {line.text for line in found if line.mark == "+"} <= set(new)
