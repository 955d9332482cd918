import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.terminal.bars import bar, level
from sessions_app.terminal.columns import columns, fit, one_line
from sessions_app.terminal.composition import table

MANIFEST = {
    "sections": [
        {"key": "persona", "label": "Persona", "tokens": 100},
        {"key": "memories", "label": "长期记忆", "tokens": 2_400, "count": 3},
        {"key": "messages", "label": "Messages", "tokens": 4_500, "count": 12},
    ],
    "memoryIds": [1, 2, 3],
    "estimatedWindowTokens": 16_000,
    "tools": {"tokens": 1_000, "count": 5},
    "compactAtTokens": 12_800,
    "requestId": 7,
}
CONTEXT = {"estimated": 8_000, "actual": 7_900, "manifest": MANIFEST}


def test_the_table_has_a_row_for_each_part_in_the_order_it_is_read() -> None:
    assert list(table(CONTEXT, width=80)) == [
        "Persona                               100    0.6%  ▏",
        "长期记忆 (3)                        2,400   15.0%  ████▍",
        "Tool definitions (5)                1,000    6.2%  █▊",
        "Messages (12)                       4,500   28.1%  ████████▏",
        "─" * 49,
        "Estimated                           8,000   50.0%  ██████████████▌",
        "Measured, last response             7,900   49.4%",
        "Free                                8,000   50.0%",
        "Window                             16,000  100.0%",
        "Line: compaction from here on      12,800   80.0%",
    ]


@pytest.mark.parametrize(("actual", "told"), [(None, "unknown"), (0, "none yet")])
def test_it_says_why_there_is_no_measurement(actual: int | None, told: str) -> None:
    lines = list(table({**CONTEXT, "actual": actual}, width=80))
    assert [line.split("  ")[-1].strip() for line in lines if "Measured" in line] == [told]


def test_without_a_window_there_are_no_shares() -> None:
    manifest = {**MANIFEST, "estimatedWindowTokens": None, "compactAtTokens": None}
    lines = list(table({**CONTEXT, "manifest": manifest}, width=80))
    assert "%" not in "".join(lines)
    assert lines[-1].split() == ["Window", "unknown"]


def test_without_a_manifest_the_totals_are_told() -> None:
    lines = list(table({**CONTEXT, "manifest": None}, width=80))
    assert lines[0] == "The composition was too large for its frame; the totals are known."
    assert lines[2].split()[:2] == ["Estimated", "8,000"]


def test_a_label_cannot_steer_the_terminal() -> None:
    assert one_line("a\x1b[2J\nb\u202e") == "a\u241b[2J b\u27e8U+202E\u27e9"


@given(st.text(max_size=40), st.integers(2, 40))
def test_a_fitted_text_takes_exactly_its_columns(text: str, width: int) -> None:
    assert columns(fit(text, width)) == width


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 200))
def test_a_bar_stays_in_its_place_and_shows_whatever_is_there(
    part: int, whole: int, width: int
) -> None:
    drawn = bar(part, whole, width)
    assert len(drawn) <= width
    assert bool(drawn) is (part > 0)


def test_the_level_is_one_line_with_the_line_in_it() -> None:
    assert level(CONTEXT) == (
        "[███████████████·········│·····] about 8.0k of 16.0k tokens (50%), line at 12.8k"
    )


def test_an_unknown_window_has_no_level_but_a_number() -> None:
    assert level({"estimated": 950, "actual": None}) == "about 950 tokens, the window is unknown"
