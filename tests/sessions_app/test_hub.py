"""What sockets are told: every frame once and in order, deltas in between, come what may."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio
from django.contrib.auth.models import User
from django.db import connections

from sessions_app import claims, hub, partials, socket_watch, stream
from sessions_app.models import Session
from sessions_app.partials import Partial
from sessions_app.run_loop import database
from tests.sessions_app.socket_client import (
    Headers,
    SocketClient,
    emit,
    leave_all,
    send_delta,
    texts,
    token_headers,
)

pytestmark = [
    pytest.mark.storage,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("runs_end"),
]


@pytest.fixture
def headers(owner: User) -> Headers:
    return token_headers(owner)


@pytest_asyncio.fixture
async def socket(session: Session, headers: Headers) -> AsyncIterator[SocketClient]:
    """The owner's socket, connected, its snapshot taken."""
    client = SocketClient(session.pk, headers)
    await client.connect()
    yield client
    await client.leave()


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_watch, "LOOK_S", 0.05)


@pytest.fixture
def no_announcements(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if another process had appended: nothing is announced here."""
    monkeypatch.setattr(hub, "announce", lambda session_id, seq: None)


# -- frames


async def test_sockets_get_each_frame_once_and_in_order_while_threads_append(
    session: Session, headers: Headers
) -> None:
    def append() -> None:
        emit(session.pk, 40)
        connections.close_all()

    async def follow(number: int) -> list[str]:
        client = SocketClient(session.pk, headers)
        await asyncio.sleep(number * 0.02)
        seq = (await client.connect())["seq"]
        found = [await client.take_text() for _ in range(160 - seq)]
        assert await client.says_nothing()
        await client.leave()
        return found

    threads = [threading.Thread(target=append) for _ in range(4)]
    for thread in threads:
        thread.start()
    followed = await asyncio.gather(*(follow(number) for number in range(8)))
    for thread in threads:
        await asyncio.to_thread(thread.join)
    stored = await database(texts, session.pk)
    assert len(stored) == 160
    assert followed == [stored[160 - len(found) :] for found in followed]


@pytest.mark.usefixtures("no_announcements")
async def test_announcements_may_overtake_each_other(
    session: Session, socket: SocketClient
) -> None:
    await database(emit, session.pk, 6)
    hub.announce_here(session.pk, 2)
    assert await socket.take_marks(2) == [1, 2]
    assert await socket.says_nothing()
    for seq in (5, 3, 4, 5):
        hub.announce_here(session.pk, seq)
    assert await socket.take_marks(3) == [3, 4, 5]
    assert await socket.says_nothing()


@pytest.mark.usefixtures("no_announcements", "quick_looks")
async def test_a_lost_announcement_costs_a_look(session: Session, socket: SocketClient) -> None:
    await database(emit, session.pk, 2)
    assert await socket.take_marks(2) == [1, 2]


async def test_frames_are_read_once_for_all_sockets_of_a_session(
    session: Session, headers: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    sockets = [SocketClient(session.pk, headers) for _ in range(5)]
    for socket in sockets:
        await socket.connect()
    reads: list[int] = []
    rows = stream.rows

    def counted(session_id: int, **where: int) -> list[tuple[int, str]]:
        reads.append(session_id)
        return rows(session_id, **where)

    monkeypatch.setattr(stream, "rows", counted)
    await database(emit, session.pk)
    assert [await socket.take_marks(1) for socket in sockets] == [[1]] * 5
    assert reads == [session.pk]
    await leave_all(sockets)


async def test_sockets_on_several_event_loops_are_told(
    session: Session, headers: Headers, socket: SocketClient
) -> None:
    connected = threading.Event()

    async def follow() -> list[Any]:
        client = SocketClient(session.pk, headers)
        await client.connect()
        connected.set()
        found = await client.take_marks(21)
        await client.leave()
        return found

    elsewhere = asyncio.create_task(asyncio.to_thread(asyncio.run, follow()))
    await asyncio.to_thread(connected.wait)
    await database(emit, session.pk, 20)
    send_delta(session.pk, "d", 0, after_seq=20)
    assert await socket.take_marks(21) == await elsewhere == [*range(1, 21), "d"]


async def test_a_loop_that_was_closed_with_its_sockets_is_forgotten(
    session: Session, headers: Headers, owner: User
) -> None:
    async def connect_and_die() -> None:
        await SocketClient(session.pk, headers).connect()

    await asyncio.to_thread(asyncio.run, connect_and_die())
    send_delta(session.pk, "d", 0, after_seq=0)
    assert hub.sockets_of(owner.pk) == 0


# -- deltas


@pytest.mark.usefixtures("no_announcements")
async def test_a_delta_waits_for_the_frames_before_it(
    session: Session, socket: SocketClient
) -> None:
    await database(emit, session.pk, 3)
    send_delta(session.pk, "a", 0, after_seq=2)
    assert await socket.says_nothing()
    hub.announce_here(session.pk, 3)
    assert await socket.take_marks(4) == [1, 2, "a", 3]


async def test_deltas_stand_before_the_frame_that_came_after_them(
    session: Session, socket: SocketClient
) -> None:
    await database(emit, session.pk, 1)
    for offset in range(100):
        send_delta(session.pk, str(offset % 10), offset, after_seq=1)
    await database(emit, session.pk, 1)
    send_delta(session.pk, "x", 100, after_seq=2)
    assert await socket.take_marks(103) == [1, *(str(n % 10) for n in range(100)), 2, "x"]


async def test_a_delta_is_sent_as_it_was_made(session: Session, socket: SocketClient) -> None:
    send_delta(session.pk, "né", 0, after_seq=0)
    expected = stream.delta_text(session.pk, "content_delta", "né", 0, 1, "e1")
    assert await socket.take_text() == expected


async def test_a_snapshot_and_the_deltas_after_it_make_the_whole_text(
    running: Session, socket: SocketClient
) -> None:
    whole = "".join(chr(0x4E00 + number) for number in range(3_000))

    async def stream_it() -> None:
        for offset in range(0, len(whole), 3):
            partials.put(running.pk, Partial(1, whole[: offset + 3]))
            send_delta(running.pk, whole[offset : offset + 3], offset, after_seq=0)
            await asyncio.sleep(0.0005)

    streaming = asyncio.create_task(stream_it())
    for _ in range(20):
        await asyncio.sleep(0.01)
        await socket.send("subscribe")
    await streaming
    text = ""
    while text != whole:
        data = (await socket.take())["data"]
        if "partial" in data:
            text = data["partial"]["text"] if data["partial"] else ""
        else:
            assert data["offset"] == len(text)
            text += data["delta"]
    partials.clear(running.pk)


# -- other processes


@pytest.mark.usefixtures("quick_looks")
async def test_what_streams_in_another_process_is_shown_as_deltas(
    running: Session, socket: SocketClient
) -> None:
    for text in ("on", "one tw", "one two"):
        stored = orjson.dumps(Partial(5, text).as_dict()).decode()
        await database(
            claims.save_partial, session_id=running.pk, execution_id="e1", partial=stored
        )
        frame = await socket.take()
        assert frame["data"]["offset"] + len(frame["data"]["delta"]) == len(text)
    assert frame == {
        "type": "content_delta",
        "sessionId": running.pk,
        "seq": None,
        "data": {"delta": "o", "offset": 6, "requestId": 5, "executionId": "e1"},
    }


@pytest.mark.usefixtures("quick_looks")
async def test_what_streams_in_this_process_is_not_relayed(
    running: Session, socket: SocketClient
) -> None:
    partials.put(running.pk, Partial(5, "here"))
    partial = '{"text":"here","thinking":"","toolCalls":[],"requestId":5}'
    await database(claims.save_partial, session_id=running.pk, execution_id="e1", partial=partial)
    assert await socket.says_nothing()
    partials.clear(running.pk)
