"""Announcements between processes: by Redis at once, without it a look later."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from channels.layers import channel_layers
from django.contrib.auth.models import User
from pytest_django import Settings

from sessions_app import hub, socket_watch
from sessions_app.models import Session
from sessions_app.run_loop import database
from tests.services.private_server import free_port, program, running
from tests.sessions_app.socket_client import SocketClient, emit, token_headers

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("runs_end"),
]


class Redis:
    """A Redis that can go away and come back."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._folder = folder
        self._stack = ExitStack()

    def start(self) -> None:
        network = ["--port", str(self.port), "--bind", "127.0.0.1"]
        nothing_on_disk = ["--save", "", "--dir", str(self._folder)]
        command = [program("redis-server"), *network, *nothing_on_disk]
        log = self._folder / "redis.log"
        self._stack.enter_context(running(command, port=self.port, log=log))

    def stop(self) -> None:
        self._stack.close()


@pytest.fixture
def redis(tmp_path: Path, settings: Settings) -> Iterator[Redis]:
    server = Redis(tmp_path)
    server.start()
    settings.REDIS_URL = f"redis://127.0.0.1:{server.port}"
    layer = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer"}
    settings.CHANNEL_LAYERS = {"default": {**layer, "CONFIG": {"hosts": [settings.REDIS_URL]}}}
    yield server
    server.stop()
    channel_layers.backends = {}


@pytest.fixture(autouse=True)
def _as_if_another_process_appended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is appended here reaches the sockets of this process by Redis, or by a look."""
    monkeypatch.setattr(hub, "announce_here", lambda session_id, seq: None)
    monkeypatch.setattr(socket_watch, "LOOK_S", 3.0)


@pytest_asyncio.fixture
async def socket(redis: Redis, session: Session, owner: User) -> AsyncIterator[SocketClient]:
    client = SocketClient(session.pk, await database(token_headers, owner))
    await client.connect()
    await asyncio.sleep(0.3)  # the room's group is joined beside the handshake
    yield client
    await client.leave()


async def seconds_to_take(socket: SocketClient, seq: int) -> float:
    start = asyncio.get_running_loop().time()
    assert (await socket.take())["seq"] == seq
    return asyncio.get_running_loop().time() - start


async def test_a_frame_of_another_process_comes_at_once(
    session: Session, socket: SocketClient
) -> None:
    await database(emit, session.pk)
    assert await seconds_to_take(socket, 1) < 1


async def test_without_redis_a_frame_comes_a_look_later_and_no_socket_is_closed(
    session: Session, redis: Redis, socket: SocketClient
) -> None:
    await asyncio.to_thread(redis.stop)
    await database(emit, session.pk)
    assert await seconds_to_take(socket, 1) < 4
    await socket.send("ping")
    assert (await socket.take())["type"] == "pong"


async def test_when_redis_is_back_frames_come_at_once_again(
    session: Session, redis: Redis, socket: SocketClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread(redis.stop)
    await database(emit, session.pk)
    await seconds_to_take(socket, 1)
    await asyncio.to_thread(redis.start)
    await asyncio.sleep(2.5)
    monkeypatch.setattr(socket_watch, "LOOK_S", 600.0)
    await asyncio.sleep(3.2)  # the last look at the old pace
    await database(emit, session.pk)
    assert await seconds_to_take(socket, 2) < 1


async def test_who_connects_while_redis_is_away_is_served(
    session: Session, redis: Redis, owner: User
) -> None:
    await asyncio.to_thread(redis.stop)
    client = SocketClient(session.pk, await database(token_headers, owner))
    await client.connect()
    await database(emit, session.pk)
    assert await seconds_to_take(client, 1) < 4
    await client.leave()
