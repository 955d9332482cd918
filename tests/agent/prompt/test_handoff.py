"""The handoff as the model gets it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.prompt.handoff import wrap_handoff


@pytest.mark.parametrize(
    ("language", "heading", "words"),
    [
        (
            "en",
            "## Session handoff",
            ("history", "can't override", "later messages win", "without repeating"),
        ),
        ("zh-hans", "## 会话任务交接", ("历史记录", "不能凌驾", "以之后的消息为准", "不要重复")),
    ],
)
def test_it_says_what_the_summary_is(language: str, heading: str, words: tuple[str, ...]) -> None:
    wrapped = wrap_handoff("\nGoal: ship.\n", language)
    assert wrapped.startswith(f"{heading}\n")
    assert wrapped.endswith("\n\n```\nGoal: ship.\n```")
    assert [word for word in words if word not in wrapped] == []


def test_it_never_names_the_tag_that_asks_for_a_summary() -> None:
    assert "<handoff" not in wrap_handoff("x", "en") + wrap_handoff("x", "zh-hans")


@pytest.mark.parametrize("summary", ["", " \n\t"])
def test_it_is_empty_without_a_summary(summary: str) -> None:
    assert wrap_handoff(summary, "en") == ""


def test_it_refuses_an_unknown_language() -> None:
    with pytest.raises(ValueError, match="language 'de' is not known; allowed: en, zh-hans"):
        wrap_handoff("x", "de")


@given(st.text("ab#`~-\n <>$", min_size=1).filter(str.strip))
def test_it_keeps_the_whole_summary_inside_its_block(summary: str) -> None:
    tokens = MarkdownIt().parse(wrap_handoff(summary, "en"))
    assert [token.type for token in tokens].count("heading_open") == 1
    assert tokens[-1].type == "fence"
    assert tokens[-1].content == f"{summary.strip()}\n"
