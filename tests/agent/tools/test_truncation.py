import time

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.protocols import ToolOutcome
from agent.tools.truncation import MAX_PARSED_CHARS, REST, cut, incomplete, is_truncated
from tests.agent.tools.fault_cases import fault_case


@pytest.mark.parametrize(
    ("text", "truncated"),
    [
        ('{"truncated": true}', True),
        ('{"content": "a", "truncated":true}', True),
        ('{"truncated": false}', False),
        ('{"truncated": "true"}', False),
        ('{"truncated": 1}', False),
        ('{"truncated": null}', False),
        ('{"Truncated": true}', False),
        ('{"inner": {"truncated": true}}', False),
        ('[{"truncated": true}]', False),
        ('"truncated"', False),
        ("true", False),
        ("truncated: true", False),
        ('{"truncated": true', False),
        ('{"truncated": true} ...', False),
        ("", False),
        ('{"a": "\ud800", "truncated": true}', False),
    ],
)
def test_only_an_object_that_says_so_is_truncated(text: str, truncated: bool) -> None:
    assert is_truncated(text) is truncated


def test_the_texts_of_fault_case_c39a_are_not_truncated_and_cost_little() -> None:
    started = time.thread_time()
    for output in fault_case("C39a_huge-output")["outputs"]:
        assert is_truncated(output["text"]) is False
    assert time.thread_time() - started < 1


def test_nesting_without_end_is_not_truncated() -> None:
    deep = '{"truncated": true, "a": ' * 100_000
    assert is_truncated(deep) is False
    assert is_truncated(deep + "1" + "}" * 100_000) is False


def test_a_text_longer_than_any_result_is_not_parsed() -> None:
    frame = '{"truncated":true,"a":"%s"}'
    fits = frame % ("x" * (MAX_PARSED_CHARS - len(frame) + 2))
    assert [is_truncated(fits), is_truncated(f"{fits} ")] == [True, False]


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert is_truncated(text) in {True, False}


def test_the_texts_of_fault_case_c21a_are_cut_flagged_and_sized() -> None:
    case = fault_case("C21a_truncation")
    limit = case["limit_chars"]
    cuts = {
        text["name"]: (text["text"], cut(ToolOutcome({"content": text["text"]}, "content"), limit))
        for text in case["texts"]
    }
    flagged = [name for name, (_, outcome) in cuts.items() if outcome.data.get("truncated")]
    assert flagged == ["ascii", "one_more", "json"]
    for name in flagged:
        text, outcome = cuts[name]
        assert outcome.data == {
            "content": text[:limit],
            "truncated": True,
            "original_characters": len(text),
            "resume": REST,
        }
        assert outcome.full_output == text
        assert cut(outcome, limit) is outcome


def test_exactly_the_limit_is_not_cut() -> None:
    outcome = ToolOutcome({"content": "🔥" * 10}, "content")
    assert cut(outcome, 10) is outcome


def test_cutting_again_keeps_the_first_size_and_text_and_renews_the_hint() -> None:
    first = cut(ToolOutcome({"content": "abcdef"}, "content", resume="from {}".format), 4)
    again = cut(first, 2)
    assert again.data == {
        "content": "ab",
        "truncated": True,
        "original_characters": 6,
        "resume": "from 2",
    }
    assert again.full_output == "abcdef"


def test_a_foreign_size_is_not_taken_for_ours() -> None:
    outcome = ToolOutcome({"content": "abcdef", "original_characters": 1}, "content")
    assert cut(outcome, 2).data["original_characters"] == 6


def test_a_cut_made_elsewhere_without_a_size_gets_one() -> None:
    outcome = ToolOutcome({"log": "abc", "truncated": True}, "log", full_output="abcdef")
    assert cut(outcome, 2).data["original_characters"] == 6


@pytest.mark.parametrize("data", [{}, {"content": ["a", "b"]}, {"content": None}])
def test_a_body_that_is_no_text_stays(data: dict[str, object]) -> None:
    outcome = ToolOutcome(data, "content")
    assert cut(outcome, 0) is outcome


def test_what_is_incomplete_is_flagged_with_its_reason() -> None:
    outcome = incomplete(ToolOutcome({"paths": []}), "all", "stopped")
    assert outcome.data == {"paths": [], "truncated": True, "resume": "stopped"}
    assert outcome.full_output == "all"
    assert incomplete(outcome, "x", "y") is outcome


TEXTS = st.text(st.characters(codec="utf-8"))


@given(TEXTS, st.integers(0, 50), st.integers(0, 50))
def test_what_is_kept_is_a_beginning_and_the_whole_is_kept_too(
    text: str, limit: int, again: int
) -> None:
    outcome = cut(cut(ToolOutcome({"content": text}, "content"), limit), again)
    kept = min(limit, again, len(text))
    assert outcome.data["content"] == text[:kept]
    assert is_truncated(orjson.dumps(dict(outcome.data)).decode()) is (kept < len(text))
    assert outcome.full_output == (text if kept < len(text) else None)
