"""Server-sent events."""

from hypothesis import given
from hypothesis import strategies as st

from agent.clients.sse import ServerSentEvent, SseDecoder

PARTS = st.sampled_from(
    ["data: Ä", "data:🔥", "data", "event: error", ": ping", "id: 1", "\r\n", "\n", "\r", "x"]
)


def decoded(*chunks: bytes) -> list[ServerSentEvent]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


@given(st.lists(PARTS), st.integers(1, 5))
def test_where_the_bytes_are_cut_makes_no_difference(parts: list[str], size: int) -> None:
    whole = "".join(parts).encode()
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert decoded(*pieces) == decoded(whole)


def test_lines_of_one_event_are_joined() -> None:
    assert decoded(b"data: a\ndata:  b\n\n") == [ServerSentEvent("a\n b")]


def test_every_line_end_counts() -> None:
    stream = b"data: a\r\n\r\ndata: b\r\rdata: c\n\n"
    assert [event.data for event in decoded(stream)] == ["a", "b", "c"]


def test_names_are_kept_and_comments_are_not() -> None:
    stream = b"\xef\xbb\xbfevent: error\n: ping\nretry: 5\ndata: x\n\ndata: y\n\n"
    assert decoded(stream) == [ServerSentEvent("x", "error"), ServerSentEvent("y")]


def test_a_blank_line_without_data_is_no_event() -> None:
    assert decoded(b"\n\nevent: ping\n\n") == []


def test_what_is_left_at_the_end_is_given() -> None:
    assert decoded(b"data: a") == [ServerSentEvent("a")]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert decoded(b"data: \xff\n\n") == [ServerSentEvent("\ufffd")]
