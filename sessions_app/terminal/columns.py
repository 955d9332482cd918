"""Text in terminal columns: one line, nothing that steers the terminal, wide letters count two."""

import unicodedata

from sessions_app.visible import visible

ELLIPSIS = "\u2026"


def one_line(text: str) -> str:
    """The text on one line, hidden characters shown."""
    return " ".join(visible(text).split())


def columns(text: str) -> int:
    """How many columns the text takes."""
    return sum(_width(letter) for letter in text)


def fit(text: str, width: int) -> str:
    """The text in exactly `width` columns: filled up, or cut with an ellipsis."""
    if columns(text) > width:
        while columns(text) >= width:
            text = text[:-1]
        text += ELLIPSIS
    return text + " " * (width - columns(text))


def _width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
