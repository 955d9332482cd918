"""Makes daphne's `send` wait for the client, as the `send` of other ASGI servers does.

Daphne buffers without limit for a client that does not read. Its transport tells a registered
producer when the buffer is full and when it has drained; sending waits in between.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from daphne.ws_protocol import WebSocketProtocol

Send = Callable[[Any], Awaitable[None]]


class Valve:
    """A push producer in Twisted's sense; the names of its methods are Twisted's."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()

    def pauseProducing(self) -> None:  # noqa: N802
        """The client's buffer is full."""
        self._open.clear()

    def resumeProducing(self) -> None:  # noqa: N802
        """The buffer is empty again."""
        self._open.set()

    def stopProducing(self) -> None:  # noqa: N802
        """The connection is lost; daphne drops what is sent now."""
        self._open.set()

    async def passed(self) -> None:
        """Wait while the client does not read."""
        await self._open.wait()


def paced(send: Send) -> Send:
    """The same `send`, waiting; what another server than daphne gave is returned as it is."""
    protocol = send.args[0] if isinstance(send, partial) and send.args else None
    if not isinstance(protocol, WebSocketProtocol):
        return send
    valve = Valve()
    protocol.unregisterProducer()  # the HTTP channel, which has handed over the connection
    protocol.registerProducer(valve, streaming=True)

    async def wait_and_send(message: dict[str, Any]) -> None:
        await valve.passed()  # a close too: daphne drops who has not read it within a second
        await send(message)

    return wait_and_send
