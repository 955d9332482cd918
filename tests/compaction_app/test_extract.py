import pytest

from agent.messages import Message, ToolCall
from agent.tokens import TokenEstimator
from compaction_app.extract import extract
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
