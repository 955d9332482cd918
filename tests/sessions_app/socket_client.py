"""A websocket client for tests: the real consumer behind the real routing, without a server."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import orjson
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.authtoken.models import Token

from sessions_app import hub, stream, transactions
from sessions_app.models import Frame
from sessions_app.routing import websocket_urlpatterns
from sessions_app.socket_auth import SocketAuth
from sessions_app.stream import NewFrame

APPLICATION = SocketAuth(URLRouter(websocket_urlpatterns))  # type: ignore[arg-type]
WAIT_S = 10.0

Headers = list[tuple[bytes, bytes]]


def token_headers(user: User) -> Headers:
    """What a program shows."""
    return [(b"authorization", f"Token {Token.objects.get_or_create(user=user)[0].key}".encode())]


def browser_headers(client: Client, origin: str = "http://localhost:8000") -> Headers:
    """What a page of a signed-in browser shows."""
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    host = (b"host", b"localhost:8000")
    return [host, (b"origin", origin.encode()), (b"cookie", cookie.encode())]


def emit(session_id: int, count: int = 1, **data: Any) -> int:
    """Commit frames one by one, as a run does; the last seq."""
    seq = 0
    for number in range(count):
        frame = NewFrame("notice", {"code": "test", "message": str(number), **data})
        seq = transactions.run(partial(stream.append, session_id, [frame]))
    return seq


def texts(session_id: int, after: int = 0) -> list[str]:
    """The stored frames after a seq."""
    rows = Frame.objects.filter(session_id=session_id, seq__gt=after).order_by("seq")
    return list(rows.values_list("text", flat=True))


def send_delta(
    session_id: int, text: str, offset: int, *, after_seq: int, request_id: int = 1
) -> None:
    """Send a piece of a round's text, as its run does."""
    frame = stream.delta_text(session_id, "content_delta", text, offset, request_id, "e1")
    hub.delta(session_id, frame, after_seq=after_seq)


class SocketClient:
    """One client; `closed_with` is the close code once the server has closed."""

    def __init__(self, session_id: Any, headers: Headers, **scope: Any) -> None:
        path = f"/ws/sessions/{session_id}"
        communicator: Any = WebsocketCommunicator(APPLICATION, path, headers)
        communicator.scope.update(scope)
        self.communicator = communicator

    async def connect(self) -> dict[str, Any]:
        """Connect and take the first snapshot's data."""
        assert (await self.communicator.connect(timeout=WAIT_S))[0]
        return await self.take_data("session_snapshot")

    async def close_code(self) -> int:
        """The code with which the server closes next; frames before it are skipped."""
        while True:
            output = await self.communicator.receive_output(timeout=WAIT_S)
            if output["type"] == "websocket.close":
                return int(output["code"])

    async def take_text(self) -> str:
        """The next frame as it came."""
        return str(await self.communicator.receive_from(timeout=WAIT_S))

    async def take(self) -> dict[str, Any]:
        """The next frame."""
        frame: dict[str, Any] = orjson.loads(await self.take_text())
        return frame

    async def take_data(self, type_: str) -> dict[str, Any]:
        """The data of the next frame, which is of this type."""
        frame = await self.take()
        assert frame["type"] == type_, frame
        data: dict[str, Any] = frame["data"]
        return data

    async def take_marks(self, count: int) -> list[Any]:
        """The next frames, in short: the seq of a stored one, the text of a delta."""
        frames = [await self.take() for _ in range(count)]
        return [frame["seq"] or frame["data"]["delta"] for frame in frames]

    async def take_until(self, type_: str) -> list[dict[str, Any]]:
        """Frames up to and with the first of this type."""
        frames = [await self.take()]
        while frames[-1]["type"] != type_:
            frames.append(await self.take())
        return frames

    async def send(self, type_: str, **data: Any) -> None:
        """Send a client frame."""
        await self.communicator.send_json_to({"type": type_, "data": data})

    async def says_nothing(self, seconds: float = 0.3) -> bool:
        """Whether nothing comes for a while."""
        await asyncio.sleep(seconds)
        return bool(self.communicator.output_queue.empty())

    async def leave(self) -> None:
        """Disconnect."""
        await self.communicator.disconnect(timeout=WAIT_S)


async def leave_all(clients: Sequence[SocketClient]) -> None:
    """Disconnect all."""
    for client in clients:
        await client.leave()
