import pytest

from sessions_app.models import Message
from sessions_app.page.tool_card import PREVIEW_CHARS, result_card, waiting_card

CALL = {"id": "c1", "name": "grep_search", "arguments": '{"pattern": "x", "path": "src"}'}


def result(content: str, **metadata: object) -> Message:
    return Message(
        role="tool",
        content=content,
        tool_call_id="c1",
        tool_name="grep_search",
        metadata=metadata,
    )


def test_arguments_stand_on_one_line() -> None:
    assert waiting_card(CALL, state="running").line == "x · src"


@pytest.mark.parametrize(
    ("arguments", "line", "whole"),
    [
        ('{"limit": 3, "deep": true}', "3 · true", ""),
        ("not json", "not json", ""),
        ("[1]", "[1]", ""),
        ("", "", ""),
        ('{"content": "one\\ntwo"}', "one two", "content:\none\ntwo"),
    ],
)
def test_any_arguments_have_a_line(arguments: str, line: str, whole: str) -> None:
    card = waiting_card({**CALL, "arguments": arguments}, state="running")
    assert (card.line, card.arguments) == (line, whole)


def test_a_long_line_is_cut_and_the_whole_is_below() -> None:
    card = waiting_card({**CALL, "arguments": '{"a": "' + "x" * 500 + '"}'}, state="running")
    assert card.line == "x" * 160 + "…"
    assert card.arguments == "a:\n" + "x" * 500


def test_short_values_are_facts_and_the_long_one_is_the_body() -> None:
    card = result_card(result('{"files": 2, "path": "src", "matches": "a:1\\nb:2"}'), CALL)
    assert card.facts == (("files", "2"), ("path", "src"))
    assert card.body == "a:1\nb:2"


def test_a_list_of_texts_is_one_a_line() -> None:
    assert result_card(result('{"paths": ["a", "b"]}'), CALL).body == "a\nb"


@pytest.mark.parametrize("content", ["plain text", "[1, 2]", "{broken", ""])
def test_what_is_no_object_is_shown_as_it_is(content: str) -> None:
    card = result_card(result(content), CALL)
    assert (card.facts, card.body) == ((), content)


def test_a_long_body_is_folded() -> None:
    body = "x" * (PREVIEW_CHARS + 1)
    card = result_card(result(body), CALL)
    assert (len(card.body), card.body_chars, card.folded) == (PREVIEW_CHARS, len(body), True)
    assert not result_card(result(body), CALL, whole=True).folded


def test_a_cut_result_says_how_long_the_output_was() -> None:
    text = '{"content": "a\\nb", "truncated": true, "original_characters": 731204}'
    card = result_card(result(text, resultTruncated=True, durationMs=31), CALL)
    assert (card.truncated, card.full_chars, card.duration_ms) == (True, 731_204, 31)
    assert card.facts == ()


def test_only_the_metadata_says_that_a_result_was_cut() -> None:
    assert not result_card(result('{"truncated": true}'), CALL).truncated


def test_an_error_and_an_orphan_have_cards_too() -> None:
    card = result_card(result('{"error": "no such file"}', isError=True), None)
    assert (card.state, card.name, card.line) == ("error", "grep_search", "")
    assert card.facts == (("error", "no such file"),)
