"""Reads what a provider says went wrong out of the many shapes in which providers say it."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from agent.phrases import Phrase

SHOWN_CHARS = 500
READ_CHARS = 10_000  # keeps the patterns fast on a hostile body
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_TRY_AGAIN = re.compile(r"try again in (\d+(?:\.\d+)?)\s*(ms|s|m)\b", re.IGNORECASE)
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ProviderError:
    """An error in one shape. Sizes in tokens, `retry_after` in seconds; None = not told."""

    status: int | None
    message: str
    code: str = ""
    type: str = ""
    limit: int | None = None
    requested: int | None = None
    retry_after: float | None = None

    @property
    def words(self) -> str:
        """Everything that can tell the class, one item a line, the HTTP status first."""
        return "\n".join((f"http {self.status}", self.code, self.type, self.message))

    @property
    def shown(self) -> str:
        """One line for people: the provider's words, or ours where it has none."""
        status = "" if self.status is None else f"HTTP {self.status}"
        if not self.message and status:
            return Phrase("the provider answered %(status)s without an explanation", status=status)
        if not self.message:
            return Phrase("the provider answered an error without an explanation")
        return f"{self.message[:SHOWN_CHARS]} ({status})" if status else self.message[:SHOWN_CHARS]


def read_error(
    status: int | None, body: object, headers: Mapping[str, str] | None = None
) -> ProviderError:
    """The error in this answer. `body` is parsed JSON or text; `status` None inside a stream.

    Only the fields that describe the error are read, never what a model wrote
    (`choices`, `failed_generation`).
    """
    named = {name.lower(): value for name, value in (headers or {}).items()}
    fields = error_object(body)
    message = _message(fields)
    code = fields.get("code")
    if status is None:  # inside a stream a numeric code is all there is of a status
        status = code if type(code) is int and 400 <= code <= 599 else None
    return ProviderError(
        status=status,
        message=message,
        code=_word(code),
        type=_word(fields.get("type") or fields.get("status") or named.get("x-amzn-errortype")),
        limit=_count(fields.get("n_ctx")),
        requested=_count(fields.get("n_prompt_tokens")),
        retry_after=retry_after(named, message),
    )


def error_object(body: object) -> Mapping[str, Any]:
    """The innermost object that describes the error; a bare text becomes `{"message": text}`."""
    if isinstance(body, list):
        return error_object(body[0]) if body else {}
    if not isinstance(body, Mapping):
        return {"message": body} if isinstance(body, str) else {}
    response = body.get("response")
    if isinstance(response, Mapping) and response.get("error"):
        return error_object(response)
    error = body.get("error")
    if isinstance(error, Mapping):
        return error
    return {**body, "message": error} if isinstance(error, str) else body


def retry_after(named: Mapping[str, str], message: str = "") -> float | None:
    """Seconds asked for by `retry-after-ms`, `retry-after` (seconds or a date) or the message."""
    milliseconds = _seconds(named.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = named.get("retry-after")
    seconds = _seconds(given)
    if seconds is None and given:
        seconds = _seconds_until(given)
    if seconds is None and (match := _TRY_AGAIN.search(message)):
        seconds = float(match[1]) * _UNITS[match[2].lower()]
    return seconds


def _seconds(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None


def _message(fields: Mapping[str, Any]) -> str:
    message = fields.get("message") or fields.get("detail") or ""
    text = (message if isinstance(message, str) else str(message))[:READ_CHARS]
    if "<" in text and "</" in text:  # a gateway's page
        text = _TAGS.sub(" ", text)
    return " ".join(text.split())


def _word(value: object) -> str:
    return "" if value is None else str(value)


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
