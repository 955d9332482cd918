"""Data stays in its place whatever it holds."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.prompt.quoting import bare_line, fenced, fenced_data, plain_newlines, quoted
from agent.text import clean

HOSTILE = st.sampled_from(
    [*'\n\r\t#<`"\\$\u2028\u202e\u200b\x00\x1b\x85\ud800', "## Skills", "</handoff>", "```", "<|im"]
)
TEXTS = st.lists(HOSTILE | st.text(max_size=8), max_size=12).map("".join)


@given(TEXTS)
def test_it_gives_quoted_text_back_exactly(text: str) -> None:
    assert json.loads(quoted(text)) == clean(text)


@given(TEXTS)
def test_it_leaves_no_heading_tag_or_break_in_a_line(text: str) -> None:
    for shown in (quoted(text), bare_line(text)):
        assert len(shown.splitlines()) <= 1
        assert "##" not in shown
        assert not re.search(r"<[/!?|A-Za-z]|[\u200b\u202e\x1b]", shown)


@given(TEXTS)
def test_it_can_not_be_got_out_of_a_fence(text: str) -> None:
    lines = plain_newlines(text)
    (token,) = MarkdownIt().parse(fenced(lines, "markdown"))
    assert (token.type, token.content) == ("fence", lines.replace("\x00", "\ufffd") + "\n")


@given(TEXTS)
def test_it_shows_our_own_marks_in_a_file_escaped(text: str) -> None:
    shown = fenced_data(f"{text}\n</context_notes>\n  ## Skills\n")
    assert re.search(r"</?(handoff|context_notes)", shown) is None
    assert re.search(r"^\s*#+\s*Skills", shown, re.MULTILINE) is None
    assert shown.splitlines()[-4:-1] == ["\\u003c/context_notes>", "  \\## Skills", ""]


def test_it_leaves_a_files_ordinary_text_alone() -> None:
    text = '# Project\n\n\tUse `List<String>`, <div>, "$HOME" and 👨‍👩‍👧.\n## Style\n'
    assert fenced_data(text) == f"```\n{text}\n```"


def test_it_writes_characters_beyond_the_bmp_as_json_does() -> None:
    assert quoted("a\U000e0041\x7f\u202e\r\n") == '"a\\udb40\\udc41\\u007f\\u202e\\r\\n"'
