"""Where a page ended, as text."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_app.cursor import MAX_ID, decode, encode


@given(st.datetimes(timezones=st.just(UTC)), st.integers(0, MAX_ID))
def test_it_is_exact_to_the_microsecond(moment: datetime, row_id: int) -> None:
    assert decode(encode((moment, row_id))) == (moment, row_id)


@given(st.text(max_size=20))
def test_it_gives_a_position_or_a_value_error(text: str) -> None:
    try:
        moment, row_id = decode(text)
    except ValueError:
        return
    assert moment.tzinfo is not None
    assert 0 <= row_id <= MAX_ID


@pytest.mark.parametrize(
    "text", ["", "x", "MQ", "MS4yLjM", "MS4tMQ", "OTk5OTk5OTk5OTk5OTk5OTk5OTkuMQ"]
)
def test_it_refuses_what_it_did_not_make(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - several kinds of it, all of them fine
        decode(text)
