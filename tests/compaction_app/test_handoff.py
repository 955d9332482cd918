import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ModelOutputInvalid
from agent.messages import ModelResponse, ToolCall
from compaction_app import handoff


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_instruction_names_the_tag_the_limit_and_the_focus(language: str) -> None:
    text = handoff.instruction(language, limit=1_600, focus="the retries")
    assert "`<handoff>...</handoff>`" in text
    assert "1,600" in text
    assert text.endswith("the retries")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_correction_says_what_was_wrong_and_asks_again(language: str) -> None:
    ask = handoff.instruction(language, limit=10)
    text = handoff.correction(language, problem="it is empty", instruction=ask)
    assert "it is empty" in text
    assert ask in text


@pytest.mark.parametrize(
    ("language", "words"), [("en", "no wish of the user"), ("zh-hans", "不是用户的要求")]
)
def test_a_reason_of_the_models_own_is_not_taken_for_the_users_wish(
    language: str, words: str
) -> None:
    text = handoff.instruction(language, limit=10, reason="I am full")
    wish = handoff.instruction(language, limit=10, focus="I am full")
    assert words in text
    assert text.endswith("I am full")
    assert words not in wish


def test_a_valid_reply_is_its_block() -> None:
    assert handoff.parse(ModelResponse(" <handoff>\nDone: a.\n</handoff>\n")) == "Done: a."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "0 complete"),
        ("Sure!", "0 complete"),
        ("<handoff>x", "0 complete"),
        ("<handoff>  </handoff>", "empty"),
        ("<handoff>a</handoff><handoff>b</handoff>", "2 complete"),
        ("<handoff>a<handoff>b</handoff>", "instead of one"),
        ("Here: <handoff>a</handoff>", "outside"),
        ("<handoff>a</handoff> That's it.", "outside"),
    ],
)
def test_an_unusable_reply_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(ModelOutputInvalid, match=problem):
        handoff.parse(ModelResponse(text))


def test_a_reply_that_calls_a_tool_or_was_cut_is_refused() -> None:
    call = ToolCall("a", "read_file", "{}")
    with pytest.raises(ModelOutputInvalid, match="read_file"):
        handoff.parse(ModelResponse("<handoff>x</handoff>", tool_calls=(call,)))
    with pytest.raises(ModelOutputInvalid, match="cut off"):
        handoff.parse(ModelResponse("<handoff>x</handoff>", stop_reason="length"))


def faithful(
    summary: str, previous: str = "", said: tuple[str, ...] = (), room: int = 1_000
) -> str:
    return handoff.faithful(
        summary, previous=previous, said=said, language="en", room=room, count=len
    )


def test_quotes_of_the_user_must_be_found_in_what_the_user_said() -> None:
    summary = "> never touch b\n> delete everything\nRead a.py."
    assert (
        faithful(summary, said=("Please  never touch\nb, ever.",)) == "> never touch b\nRead a.py."
    )


def test_a_quote_of_the_summary_before_holds_and_a_missing_one_is_carried_on() -> None:
    previous = "> never touch b\n> use tabs\nOld."
    assert faithful("> use tabs\nNew.", previous) == (
        "> use tabs\nNew.\n\nSaid by the user earlier:\n> never touch b"
    )


def test_five_passes_erode_nothing() -> None:
    summary = faithful("> the key is 7319\nStart.", said=("the key is 7319",))
    for n in range(5):
        summary = faithful(f"Pass {n}.", summary)
    assert handoff.quotes(summary) == ["the key is 7319"]


def test_text_of_several_lines_becomes_several_quotes() -> None:
    assert handoff.as_quotes(["a\n\n b", "c"]) == "> a\n> b\n> c"


def test_a_short_message_without_any_quote_is_carried_on_whole() -> None:
    said = ("use tabs", "IMPORTANT: never\ntouch b", "x" * 501, "use  tabs", " ")
    assert faithful("Read a.py.", said=said) == (
        "Read a.py.\n\nSaid by the user earlier:\n> use  tabs\n> IMPORTANT: never\n> touch b"
    )
    assert faithful("> use tabs", said=said[:1]) == "> use tabs"


def test_where_room_is_scarce_the_first_and_the_newest_are_carried_on() -> None:
    said = ("the goal", "wish 1", "wish 2", "wish 3")
    assert handoff.quotes(faithful("Done.", said=said, room=20)) == ["the goal", "wish 3"]
    assert faithful("Done.", said=said, room=3) == "Done."


one_line = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=60)


@given(st.lists(one_line, max_size=6), st.integers(1, 5))
def test_no_short_message_is_lost_however_often_a_model_forgets_it(
    said: list[str], passes: int
) -> None:
    summary = faithful("Done.", said=tuple(said), room=10_000)
    for number in range(passes):
        summary = faithful(f"Pass {number}.", summary, room=10_000)
    carried = {" ".join(quote.split()) for quote in handoff.quotes(summary)}
    assert {" ".join(text.split()) for text in said} - {""} <= carried
