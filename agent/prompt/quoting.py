"""Keeps data in its place: text of users and files that can't pose as a part of the prompt.

Data is shown as a JSON string on one line, as one bare line, or as a fenced block. In each of these
characters that would be invisible, reorder the text or break a line are written as `\\uXXXX`.
"""

import json
import re

from agent.prompt.labels import headings
from agent.text import clean

# Controls, line separators, bidi controls, zero-width characters, Unicode tags and rare variation
# selectors. Not the zero-width joiners and U+FE0F: emoji and several scripts need them.
_HIDDEN = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000e0000-\\U000e0fff"
)
_MARKUP = "<(?=[/!?|A-Za-z])|#(?=#)|\\A#"  # what begins a tag or a heading
_IN_LINE = re.compile(f"[\\t\\n{_HIDDEN}]|{_MARKUP}")
_IN_STRING = re.compile(f'[\\t\\n"\\\\{_HIDDEN}]|{_MARKUP}')
_IN_BLOCK = re.compile(f"[{_HIDDEN}]|<(?=/?(?:handoff|context_notes)\\b)")
_OUR_HEADING = re.compile(
    f"^([ \\t]*)(?=#+[ \\t]*(?:{'|'.join(re.escape(text) for text in headings())}))", re.MULTILINE
)
_BACKTICKS = re.compile("`+")


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char in '\t\n\r"\\':
        return json.dumps(char)[1:-1]
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def quoted(text: str) -> str:
    """The text as a JSON string on one line; no tag, `##` or invisible character is left in it.

    JSON gives the text back exactly, but for NUL and lone surrogates (`agent.text.clean`).
    """
    return f'"{_IN_STRING.sub(_escape, clean(text))}"'


def bare_line(text: str) -> str:
    """The text on one line without quotation marks, its ends trimmed, otherwise as `quoted`."""
    return _IN_LINE.sub(_escape, clean(text).strip())


def plain_newlines(text: str) -> str:
    """CR LF and CR as LF: Markdown takes each of them for the end of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def fenced(text: str, info: str = "") -> str:
    """The text, unchanged, in a fence that is longer than any run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{info}\n{text}\n{fence}"


def fenced_data(text: str, info: str = "") -> str:
    """The same for a file's text: invisible characters and our own marks in it are escaped.

    A line that looks like a heading of ours gets a backslash.
    """
    shown = _IN_BLOCK.sub(_escape, plain_newlines(clean(text)))
    return fenced(_OUR_HEADING.sub(r"\1\\", shown), info)
