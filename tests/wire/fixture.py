"""The `wire` fixture: a scripted OpenAI-compatible server; `server.py` lists the replies.

    pytest_plugins = ["tests.wire.fixture"]        # in tests/conftest.py

    async def test_it_asks_the_model(wire):
        wire.script({"text": "Hello"}, {"status": 429, "headers": {"retry-after": "1"}})
        client = OpenAIClient(api_key="key", base_url=wire.base_url)
        ...
        assert wire.requests()[0].body["messages"][-1]["content"] == "Hi"

One process serves the whole test run; script and requests are forgotten before each test.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).with_name("server.py")


@dataclass(frozen=True)
class WireRequest:
    """A request as the server saw it; header names are in lower case, `duration` in seconds."""

    path: str
    headers: dict[str, str]
    body: Any
    reply: dict[str, Any]
    disconnected: bool
    finished: bool
    duration: float


class Wire:
    """A handle on the running server."""

    def __init__(self, port: int) -> None:
        self.port = port

    @property
    def base_url(self) -> str:
        """What goes into `OPENAI_BASE_URL`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, *replies: dict[str, Any]) -> None:
        """Add replies; they are used up in this order."""
        self._ask("/script", list(replies))

    def reset(self) -> None:
        """Forget what is left of the script and all requests."""
        self._ask("/reset", {})

    def requests(self) -> list[WireRequest]:
        """The requests so far, oldest first."""
        return [WireRequest(**row) for row in self._ask("/requests")]

    def wait_for(
        self, condition: Callable[[list[WireRequest]], bool], seconds: float = 5.0
    ) -> list[WireRequest]:
        """The requests once they fulfil the condition; AssertionError after `seconds`."""
        end = time.monotonic() + seconds
        while not condition(found := self.requests()):
            assert time.monotonic() < end, f"not within {seconds} s; requests: {found}"
            time.sleep(0.02)
        return found

    def _ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def wire_server() -> Iterator[Wire]:
    """The server's process, started at first use."""
    process = subprocess.Popen(
        [sys.executable, "-I", str(SERVER), "0"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process:
        yield Wire(int(process.stdout.readline()))
        process.terminate()


@pytest.fixture
def wire(wire_server: Wire) -> Wire:
    """The server with an empty script."""
    wire_server.reset()
    return wire_server
