"""Text from models, tools and users made fit for storage and wire, visibly; counts in words."""

from typing import Any

NUL_SHOWN = "\u2400"  # SYMBOL FOR NULL


def clean(text: str) -> str:
    """The text as valid UTF-8 without NUL: split surrogate pairs joined, lone ones U+FFFD, NUL
    U+2400.

    Everything else, control and bidi characters included, stays; the page shows those escaped.
    """
    if "\x00" in text:
        text = text.replace("\x00", NUL_SHOWN)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def counted(number: int, noun: str) -> str:
    """The number with its English noun, for texts that have no other language: 1 call, 2 calls."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def clean_json(value: Any) -> Any:
    """The same for every string in a JSON value, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value
