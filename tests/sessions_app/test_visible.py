import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.visible import visible

CASES = json.loads((Path(__file__).parents[1] / "cases" / "visible.json").read_text())
KEPT = {"\n", "\t", "\u200c", "\u200d"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["text"])[:30])
def test_it_shows_what_would_hide(case: dict[str, str]) -> None:
    assert visible(case["text"]) == case["shown"]


@given(st.text())
def test_nothing_that_hides_or_reorders_is_left(text: str) -> None:
    shown = set(visible(text)) - KEPT
    assert [c for c in shown if unicodedata.bidirectional(c) in {"RLO", "LRO", "RLE", "LRE"}] == []
    assert [c for c in shown if unicodedata.category(c) == "Cc"] == []


@given(st.text())
def test_it_does_nothing_the_second_time(text: str) -> None:
    assert visible(visible(text)) == visible(text)
