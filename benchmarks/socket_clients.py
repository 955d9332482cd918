"""A server in a process of its own and sockets to it, for the benchmarks of both."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

START_S = 30.0
STOP_S = 10


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, as whom one comes in, and the paths of its sessions' sockets."""

    port: int
    token: str
    ours: list[str]

    def cpu_s(self) -> float:
        """CPU seconds of the server up to now."""
        return self._figures()[0]

    def python_kib(self) -> float:
        """What its Python objects take; 0 where memory is not traced."""
        return self._figures()[1] / 1024

    def _figures(self) -> tuple[float, float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/") as answer:
            cpu_s, traced = json.load(answer)
        return cpu_s, traced

    async def open(self, paths: list[str]) -> list[ClientConnection]:
        """A socket for each path, one after the other; ours have got their snapshot."""
        sockets = []
        for path in paths:
            socket = await connect(
                f"ws://127.0.0.1:{self.port}{path}",
                additional_headers={"Authorization": f"Token {self.token}"},
                compression=None,
                ping_interval=None,
                max_size=None,
                proxy=None,
            )
            if path in self.ours:
                await socket.recv()
            sockets.append(socket)
        return sockets


@contextmanager
def serving(server: str, sessions: int, *, traced: bool = False) -> Iterator[Server]:
    """Start it (`daphne` or `uvicorn`) with so many sessions, and end it; slow when `traced`."""
    command = [sys.executable, "-m", "benchmarks.stream_server", server, str(sessions)]
    environment = {**os.environ, "PYTHONTRACEMALLOC": "1" if traced else ""}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = Server(**json.loads(process.stdout.readline()))
        _wait_for(found)
        yield found
    finally:
        process.terminate()
        process.wait(STOP_S)


def _wait_for(server: Server) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            server.cpu_s()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


async def close(sockets: list[ClientConnection]) -> None:
    """All of them."""
    await asyncio.gather(*(socket.close() for socket in sockets))


async def answers(socket: ClientConnection, order: dict[str, Any]) -> int:
    """Give the order; the characters that came until the end of the answer."""
    await socket.send(json.dumps(order))
    chars = 0
    while (frame := json.loads(await socket.recv()))["type"] != "message_end":
        if frame["type"] == "content_delta":
            chars += len(frame["data"]["delta"])
    return chars
