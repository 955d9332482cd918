"""Deltas around a snapshot, and those made from partials of another process: each text once."""

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from sessions_app import stream
from sessions_app.hub import Delta
from sessions_app.overlap import Overlap
from sessions_app.partial_relay import PartialRelay
from sessions_app.session_snapshot import Resumption
from sessions_app.socket_auth import Admission, Credential
from sessions_app.socket_room import Room
from sessions_app.socket_writer import SocketWriter

TAKEN_NS = 1_000
SEQ = 5
PIECES = st.lists(st.text(min_size=1), max_size=8)


def delta(text: str, offset: int, **more: Any) -> Delta:
    fields = {"type_": "content_delta", "request_id": 1, "execution_id": "e", **more}
    after_seq, made_ns = fields.pop("after_seq", SEQ), fields.pop("made_ns", TAKEN_NS + 1)
    frame = stream.delta_text(7, delta=text, offset=offset, **fields)
    return Delta(frame, after_seq, made_ns)


def overlap(text: str = "", thinking: str = "") -> Overlap:
    partial = {"text": text, "thinking": thinking, "toolCalls": [], "requestId": 1}
    shown = partial if text or thinking else None
    return Overlap(Resumption({"seq": SEQ, "partial": shown}, SEQ, TAKEN_NS))


def followed(at: int, pieces: Sequence[str]) -> str:
    """The text of a client that connects when the partial has `at` characters."""
    whole = "".join(pieces)
    text, cut, offset = whole[:at], overlap(whole[:at]), 0
    for piece in pieces:
        remainder = cut.remainder(delta(piece, offset))
        offset += len(piece)
        if remainder is not None:
            data = orjson.loads(remainder.text)["data"]
            assert data["offset"] == len(text)
            text += data["delta"]
    return text


@given(PIECES, st.data())
def test_snapshot_and_deltas_make_the_text_wherever_they_meet(
    pieces: list[str], data: st.DataObject
) -> None:
    whole = "".join(pieces)
    at = data.draw(st.integers(0, len(whole)))
    assert followed(at, pieces) == whole


async def test_deltas_from_before_the_snapshot_are_not_sent_after_it() -> None:
    sent: asyncio.Queue[Any] = asyncio.Queue()
    admission = Admission(Credential("token", "key"), 7, 1)
    writer = SocketWriter(Room(7), admission, sent.put, on_close=lambda writer: None)
    made = [delta(text, 0, made_ns=TAKEN_NS + at) for at, text in enumerate("abcd", -2)]
    for one in made:
        writer.take_delta(one)
    writer.place(Resumption({"seq": SEQ, "partial": None}, SEQ, TAKEN_NS), "snapshot")
    assert [(await sent.get())["text"] for _ in range(2)] == ["snapshot", made[3].text]
    writer.stop()


def test_a_delta_of_a_later_request_is_whole() -> None:
    one = delta("ab", 0, request_id=2)
    assert overlap("abc").remainder(one) == one


def test_a_retry_begins_anew_though_its_request_is_the_same() -> None:
    one = delta("ab", 0, after_seq=SEQ + 1)
    assert overlap("abc").remainder(one) == one


def test_the_kinds_are_cut_each_by_its_own_length() -> None:
    cut = overlap("abc", "th")
    thinking = cut.remainder(delta("hi", 1, type_="thinking_delta"))
    content = cut.remainder(delta("bcd", 1))
    assert thinking == delta("i", 2, type_="thinking_delta")
    assert content == delta("d", 3)


def test_it_is_over_when_each_kind_has_passed() -> None:
    cut = overlap("a", "t")
    states = [cut.is_over]
    for one in (delta("u", 1, type_="thinking_delta"), delta("b", 1)):
        assert cut.remainder(one) == one
        states.append(cut.is_over)
    assert states == [False, False, True]


def test_it_is_over_at_once_where_nothing_streams() -> None:
    assert overlap().is_over


# -- partials of another process


def partial(text: str, request_id: int = 1) -> dict[str, Any]:
    return {"text": text, "thinking": text.upper(), "toolCalls": [], "requestId": request_id}


def relayed(relay: PartialRelay, shown: dict[str, Any]) -> list[tuple[str, int, str]]:
    found = []
    for one in relay.deltas(shown, execution_id="e", after_seq=SEQ):
        frame = orjson.loads(one.text)
        found.append((frame["type"], frame["data"]["offset"], frame["data"]["delta"]))
    return found


@given(PIECES)
def test_looks_at_a_growing_partial_make_its_text(pieces: list[str]) -> None:
    relay, text = PartialRelay(7), ""
    for end in range(1, len(pieces) + 1):
        for type_, offset, new in relayed(relay, partial("".join(pieces[:end]))):
            if type_ == "content_delta":
                assert offset == len(text)
                text += new
    assert text == "".join(pieces)


def test_what_was_passed_on_is_not_passed_on_again() -> None:
    relay = PartialRelay(7)
    relayed(relay, partial("ab"))
    assert relayed(relay, partial("ab")) == []


def test_another_request_or_a_retry_begins_at_0() -> None:
    relay = PartialRelay(7)
    relayed(relay, partial("abc"))
    expected = [("thinking_delta", 0, "X"), ("content_delta", 0, "x")]
    assert relayed(relay, partial("x")) == expected
    assert relayed(relay, partial("x", request_id=2)) == expected
