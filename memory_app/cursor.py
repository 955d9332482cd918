"""Where a page of memories ended, as the opaque text that the next one is asked with."""

import base64
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_ID = 2**63 - 1

Position = tuple[datetime, int]  # update time and id of the last row


def encode(position: Position) -> str:
    """The text of a position, exact to the microsecond."""
    moment, row_id = position
    micros = (moment - EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{micros}.{row_id}".encode()).decode().rstrip("=")


def decode(text: str) -> Position:
    """The position in a text. Raises ValueError where there is none."""
    plain = base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    micros, row_id = (int(part) for part in plain.decode("ascii").split("."))
    if not 0 <= row_id <= MAX_ID:
        raise ValueError(f"{row_id} is no id")
    try:
        return EPOCH + timedelta(microseconds=micros), row_id
    except OverflowError as error:
        raise ValueError(f"{micros} is no moment") from error
