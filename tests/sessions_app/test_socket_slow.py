"""Clients that read slowly or not at all: nobody waits for them, and no stored frame is missed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from django.contrib.auth.models import User

from sessions_app import hub, socket_watch, socket_writer
from sessions_app.models import Frame, Session
from sessions_app.run_loop import database
from tests.sessions_app.socket_client import (
    WAIT_S,
    Headers,
    SocketClient,
    emit,
    send_delta,
    token_headers,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]


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


def narrow(client: SocketClient, size: int = 1) -> asyncio.Queue[Any]:
    """A client whose connection holds so many frames; then the server must wait for it to read."""
    queue: asyncio.Queue[Any] = asyncio.Queue(maxsize=size)
    client.communicator._output_queue = queue
    return queue


async def until_closed(owner: User) -> None:
    """Wait until the server has given up the owner's sockets, without reading from them."""
    async with asyncio.timeout(WAIT_S):
        while hub.sockets_of(owner.pk):
            await asyncio.sleep(0.02)


async def test_a_slow_reader_gets_every_frame_and_holds_up_nobody(
    session: Session, headers: Headers, socket: SocketClient
) -> None:
    slow = SocketClient(session.pk, headers)
    narrow(slow)
    await slow.connect()
    await database(emit, session.pk, 250, padding="x" * 4_000)  # more than a room remembers
    assert await socket.take_marks(250) == list(range(1, 251))
    assert await slow.take_marks(250) == list(range(1, 251))
    await slow.leave()


async def test_a_slow_reader_misses_deltas_and_sees_it_by_the_offset(
    session: Session, headers: Headers
) -> None:
    slow = SocketClient(session.pk, headers)
    queue = narrow(slow)
    await slow.connect()
    for offset in range(1_000):
        send_delta(session.pk, "x", offset, after_seq=0)
        if offset % 100 == 0:
            await asyncio.sleep(0)
    await asyncio.sleep(0.1)
    offsets = []
    while not queue.empty():
        offsets.append((await slow.take())["data"]["offset"])
        await asyncio.sleep(0.01)
    assert len(offsets) <= socket_writer.MAX_DELTAS + 2
    assert offsets[-1] == 999
    assert offsets == sorted(offsets)
    await slow.leave()


@pytest.mark.usefixtures("quick_looks")
async def test_a_client_that_reads_nothing_is_closed(
    session: Session, headers: Headers, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_watch, "SLOW_READER_S", 0.2)
    slow = SocketClient(session.pk, headers)
    narrow(slow)
    await slow.connect()
    await database(emit, session.pk, 3)
    await until_closed(owner)
    await database(emit, session.pk, 3)
    assert await slow.close_code() == 4408
    assert await slow.says_nothing()
    await slow.leave()


async def test_a_client_that_asks_and_never_reads_is_closed(
    session: Session, headers: Headers, owner: User
) -> None:
    slow = SocketClient(session.pk, headers)
    narrow(slow)
    await slow.connect()
    for _ in range(socket_writer.MAX_REPLIES + 10):
        await slow.send("ping")
    await until_closed(owner)
    assert await slow.close_code() == 4408
    await slow.leave()


async def test_a_slow_reader_whose_frames_were_pruned_is_closed(
    session: Session, headers: Headers, socket: SocketClient
) -> None:
    slow = SocketClient(session.pk, headers)
    narrow(slow)
    await slow.connect()
    await database(emit, session.pk, 120, padding="x" * 8_000)
    await socket.take_marks(120)
    await database(Frame.objects.filter(seq__lte=110).delete)
    assert await slow.close_code() == 4408
    await slow.leave()


class Connection(asyncio.Queue[Any]):
    """What the server sends through; lost connections raise, as servers do."""

    lost = False

    async def put(self, item: Any) -> None:
        if self.lost:
            raise ConnectionResetError
        await super().put(item)


async def test_a_client_that_is_gone_ends_its_writer_only(
    session: Session, headers: Headers, socket: SocketClient, owner: User
) -> None:
    gone = SocketClient(session.pk, headers)
    gone.communicator._output_queue = connection = Connection()
    await gone.connect()
    connection.lost = True
    await database(emit, session.pk)
    assert await socket.take_marks(1) == [1]
    assert hub.sockets_of(owner.pk) == 1
    await gone.leave()
