"""Reads request bodies: JSON objects, bounded in size and depth, with one possible meaning."""

import json
import math
import re
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException, ValidationError
from rest_framework.parsers import BaseParser

from agent.text import clean_json

MAX_BODY_BYTES = 1024 * 1024
MAX_DEPTH = 24

# A string (an unfinished one up to the end) or a bracket. Possessive: no text makes it slow.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class BodyTooLarge(APIException):
    """The body has more than `MAX_BODY_BYTES`."""

    status_code = 413
    default_code = "body_too_large"
    default_detail = f"The body is too large; allowed: {MAX_BODY_BYTES} bytes."


class LengthRequired(APIException):
    """The body was announced as chunked and did not arrive."""

    status_code = 411
    default_code = "length_required"
    default_detail = "A chunked body can't be read here; send a Content-Length."


class StrictJSONParser(BaseParser):
    """Parses `application/json` (UTF-8) into a dict; any other media type is answered with 415.

    Refused: more than 1 MiB (413); nesting deeper than 24, NaN and infinities, the same key twice,
    anything but an object (400, field `body`). NUL and lone surrogates in texts are replaced, see
    `agent.text.clean`.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 - the port's
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The object in the stream; an empty body is an empty object."""
        meta = parser_context["request"].META if parser_context else {}
        raw = _read(stream, meta)
        return loads(raw) if raw else {}


def loads(raw: bytes) -> dict[str, Any]:
    """The JSON object in `raw`, cleaned. Raises ValidationError with the field `body`."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise _bad(f"not UTF-8 at byte {error.start}") from error
    if too_deep(text):
        raise _bad(f"nested too deep; allowed: {MAX_DEPTH} levels")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
    except ValueError as error:  # JSONDecodeError too, and numbers of thousands of digits
        raise _bad(str(error)) from error
    if not isinstance(value, dict):
        raise _bad("not an object; allowed: {...}")
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


def _read(stream: IO[bytes], meta: Mapping[str, Any]) -> bytes:
    raw = stream.read(MAX_BODY_BYTES + 1)
    if len(raw) > MAX_BODY_BYTES:
        raise BodyTooLarge
    if not raw and "HTTP_TRANSFER_ENCODING" in meta:
        raise LengthRequired
    return raw


def _bad(reason: str) -> ValidationError:
    return ValidationError({"body": [f"Not valid JSON for this API: {reason}."]})


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
