"""Reads JSON objects from outside: bounded in depth, with one possible meaning."""

import json
import math
import re
from typing import Any

from agent.text import clean_json

MAX_DEPTH = 24

# A string (an unfinished one up to the end) or a bracket. Possessive: no text makes it slow.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class NotStrictJson(ValueError):
    """The text is no JSON object that this server takes; the message says why."""


def loads(raw: bytes) -> dict[str, Any]:
    """The JSON object in `raw` (UTF-8), its texts cleaned (`agent.text.clean`). Raises
    NotStrictJson.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise NotStrictJson(f"not UTF-8 at byte {error.start}") from error
    if too_deep(text):
        raise NotStrictJson(f"nested too deep; allowed: {MAX_DEPTH} levels")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
    except ValueError as error:  # JSONDecodeError too, and numbers of thousands of digits
        raise NotStrictJson(str(error)) from error
    if not isinstance(value, dict):
        raise NotStrictJson("not an object; allowed: {...}")
    cleaned: dict[str, Any] = clean_json(value)
    return cleaned


def too_deep(text: str) -> bool:
    """Whether arrays and objects are nested more than `MAX_DEPTH` times; never recurses."""
    depth = 0
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif mark in "]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ValueError(f"the key {key[:100]!r} stands twice in one object")
        value[key] = item
    return value


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large")
    return number
