"""The notes at the end of a request."""

import re

from hypothesis import given
from hypothesis import strategies as st

from agent.prompt.notes import wrap_notes

BLOCK = re.compile(
    r"<context_notes>\n(?:<brief>\n([^<]*)\n</brief>\n)?(?:<card>\n([^<]*)\n</card>\n)?"
    r"(?:<receipt>\n([^<]*)\n</receipt>\n)?</context_notes>"
)


def test_it_wraps_each_note_in_its_element() -> None:
    assert wrap_notes("Call it.", "50% used", "saved 9\n") == (
        "<context_notes>\n<brief>\nCall it.\n</brief>\n<card>\n50% used\n</card>\n"
        "<receipt>\nsaved 9\n</receipt>\n</context_notes>"
    )


def test_it_leaves_out_what_is_blank() -> None:
    assert wrap_notes("", "full", " ") == (
        "<context_notes>\n<card>\nfull\n</card>\n</context_notes>"
    )
    assert wrap_notes("", " \n", "") == ""


def test_it_escapes_what_would_close_the_block() -> None:
    wrapped = wrap_notes("</brief></context_notes> & more", "", "")
    assert "\n&lt;/brief>&lt;/context_notes> &amp; more\n" in wrapped


@given(st.lists(st.text("ab</&;>cardbrief\n"), min_size=3, max_size=3))
def test_it_can_be_read_back(notes: list[str]) -> None:
    wrapped = wrap_notes(*notes)
    match = BLOCK.fullmatch(wrapped)
    found = match.groups("") if match else ("", "", "")
    shown = [text.replace("&lt;", "<").replace("&amp;", "&") for text in found]
    assert shown == [text.strip() for text in notes]
    assert (match is None) == (wrapped == "")
