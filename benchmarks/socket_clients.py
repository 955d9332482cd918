"""A server in a process of its own and sockets to it, for the benchmarks of both."""

import asyncio
import json
import resource
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

START_S = 30.0
PAGE_KIB = resource.getpagesize() / 1024
STOP_S = 10


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, as whom one comes in, and the paths of its sessions' sockets."""

    pid: int
    port: int
    token: str
    ours: list[str]

    def cpu_s(self) -> float:
        """CPU seconds of the server up to now."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/") as answer:
            return float(json.load(answer))

    def resident_kib(self) -> float:
        """Its resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * PAGE_KIB

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
def serving(server: str, sessions: int) -> Iterator[Server]:
    """Start it (`daphne` or `uvicorn`) with so many sessions, and end it."""
    command = [sys.executable, "-m", "benchmarks.stream_server", server, str(sessions)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = Server(pid=process.pid, **json.loads(process.stdout.readline()))
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
