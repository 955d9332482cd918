"""Bytes from files and processes as text."""

import codecs

# The longer marks first: UTF-32's begins with UTF-16's.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BINARY_CHECK_CHARS = 8_192


def decode(raw: bytes) -> str:
    """The text: UTF-8, or what a byte order mark says (the mark itself is dropped).

    Bytes that can't be decoded are visible as U+FFFD; line ends stay as they are.
    """
    for mark, encoding in MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding, "replace")
    return raw.decode("utf-8", "replace")


def is_binary(text: str) -> bool:
    """Whether decoded text is none: a NUL near its beginning, the rule that git uses too."""
    return "\x00" in text[:BINARY_CHECK_CHARS]
