"""Pages of lists: `limit`, and cursors that point at a row and not at a position."""

import base64
import binascii
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_ID = 2**63 - 1
MAX_DIGITS = 19
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def limit_of(request: Request) -> int:
    """`limit` of the query, 1 to 200, 50 if not given. Raises ValidationError."""
    return _number(request, "limit", MAX_LIMIT) or DEFAULT_LIMIT


def before_of(request: Request) -> int | None:
    """`before` of the query: a message id, None if not given. Raises ValidationError."""
    return _number(request, "before", MAX_ID)


def _number(request: Request, name: str, maximum: int) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else 0
    if not 1 <= number <= maximum:
        allowed = f"allowed: a whole number from 1 to {maximum}"
        raise ValidationError({name: [f"{text[:40]!r} is not valid; {allowed}."]})
    return number


def encode(*numbers: int) -> str:
    """A cursor: the sort key of the last row of a page, made opaque."""
    plain = ".".join(map(str, numbers)).encode()
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


def cursor_of(request: Request, length: int) -> tuple[int, ...] | None:
    """The sort key in `cursor` of the query, None if not given. Raises ValidationError."""
    text = request.query_params.get("cursor")
    if text is None:
        return None
    try:
        plain = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)).decode("ascii")
        numbers = tuple(int(part) for part in plain.split("."))
    except (binascii.Error, ValueError):
        numbers = ()
    if len(numbers) != length or not all(0 <= number <= MAX_ID for number in numbers):
        raise ValidationError({"cursor": [f"{text[:40]!r} is not a cursor of this list."]})
    return numbers


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch, exactly."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """The moment, in UTC; the last one there is for numbers beyond it."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def page(
    rows: Sequence[T],
    limit: int,
    *,
    shape: Callable[[Sequence[T]], Any],
    key: Callable[[T], str | int],
) -> dict[str, Any]:
    """The protocol's list, out of up to `limit` + 1 rows: one too many means that there is more."""
    shown = rows[:limit]
    more = len(rows) > limit
    return {"results": shape(shown), "next": key(shown[-1]) if more else None}
