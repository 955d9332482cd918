import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.messages import Message, ToolCall
from agent.tokens import TokenEstimator
from compaction_app.extract import extract, shortened
from compaction_app.handoff import quotes
from tests.compaction_app.histories import asks, result, user

count = TokenEstimator().text
MESSAGES = [
    user("never touch b"),
    asks("a"),
    result("a", "x = 1"),
    Message("assistant", tool_calls=(ToolCall("s", "shell", '{"command": "ls"}'),)),
    Message("assistant", tool_calls=(ToolCall("t", "odd", "[1"), ToolCall("u", "odd", "[]"))),
    user("go on"),
]


def test_it_holds_words_files_and_results() -> None:
    text = extract(MESSAGES, previous="", language="en", limit=10_000, count=count)
    assert quotes(text) == ["never touch b", "go on"]
    assert "- x.py\n- ls" in text
    assert "- read: x = 1" in text
    assert "without a model" in text


@pytest.mark.parametrize("limit", [400, 100])
def test_it_shrinks_to_the_limit_and_keeps_the_summary_before(limit: int) -> None:
    long = [user(f"wish {n} " + "word " * 30) for n in range(40)] + MESSAGES
    text = extract(long, previous="Before.", language="en", limit=limit, count=count)
    assert count(text) <= limit
    assert "Before." in text
    assert quotes(text)[-1] == "go on"


def test_it_works_in_chinese_and_on_nothing() -> None:
    assert "摘录" in extract([], previous="", language="zh-hans", limit=10, count=count)


def test_a_message_that_is_too_long_is_shortened_and_says_so() -> None:
    paste = "begin " + "word " * 12_000 + "end"
    text = extract([user("hello"), user(paste)], previous="", language="en", limit=800, count=count)
    first, shortened = quotes(text)
    assert first == "hello"
    assert shortened.startswith("begin word")
    assert shortened.endswith("word end")
    assert "[... shortened: 5" in shortened
    assert 400 < count(text) <= 800


def test_of_many_long_messages_all_are_there_and_each_is_shortened() -> None:
    said = [user(f"wish {n} " + "word " * 1_100) for n in range(7)]
    text = extract(said, previous="", language="en", limit=1_000, count=count)
    assert [quote[:6] for quote in quotes(text)] == [f"wish {n}" for n in range(7)]
    assert count(text) <= 1_000


def test_a_summary_before_that_is_too_long_is_shortened_and_leaves_room_for_the_messages() -> None:
    previous = "> never touch b\n" + "word " * 30_000 + "\n> use tabs"
    text = extract([user("go on")], previous=previous, language="en", limit=1_000, count=count)
    assert quotes(text) == ["never touch b", "use tabs", "go on"]
    assert "shortened: " in text
    assert count(text) <= 1_000


anything = st.text(max_size=30).map(lambda text: text * 40)


@given(
    st.lists(st.one_of(st.builds(user, anything), st.builds(lambda t: result("a", t), anything))),
    anything,
    st.integers(1, 400),
    st.sampled_from(["en", "zh-hans"]),
)
def test_it_keeps_its_limit_with_everything_in_it(
    messages: list[Message], previous: str, limit: int, language: str
) -> None:
    empty = extract([], previous="", language=language, limit=1_000, count=count)
    text = extract(messages, previous=previous, language=language, limit=limit, count=count)
    assert count(text) <= max(limit, count(empty))


@given(anything, st.integers(0, 100))
def test_shortened_text_has_room(text: str, room: int) -> None:
    short = shortened(text, room, language="en", count=count)
    assert count(short) <= room
    assert short in {text, ""} or "shortened: " in short
