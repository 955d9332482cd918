"""Reads request bodies: JSON objects, bounded in size and depth, with one possible meaning."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException, ValidationError
from rest_framework.parsers import BaseParser

from sessions_app.strict_json import NotStrictJson, loads

MAX_BODY_BYTES = 1024 * 1024


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
        try:
            return loads(raw) if raw else {}
        except NotStrictJson as error:
            reason = f"Not valid JSON for this API: {error}."
            raise ValidationError({"body": [reason]}) from error


def _read(stream: IO[bytes], meta: Mapping[str, Any]) -> bytes:
    raw = stream.read(MAX_BODY_BYTES + 1)
    if len(raw) > MAX_BODY_BYTES:
        raise BodyTooLarge
    if not raw and "HTTP_TRANSFER_ENCODING" in meta:
        raise LengthRequired
    return raw
