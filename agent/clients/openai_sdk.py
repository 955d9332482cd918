"""The OpenAI SDK, loaded at first need (0.9 s, 40 MB); one client per loop, server and key."""

import asyncio
import importlib
import sys
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

OPENAI_BASE_URL = "https://api.openai.com/v1"  # said aloud: the SDK would read the environment
ERROR_BODY_BYTES = 1_000_000
NO_KEY = "none"  # local servers need no key, but the SDK insists on one

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], "AsyncOpenAI"]] = (
    WeakKeyDictionary()
)


class HttpRefusal(Exception):
    """The server answered with a status other than 2xx; `text` is the beginning of its body."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.text = text
        self.headers = headers


async def load_sdk() -> None:
    """Import the SDK in a thread: 0.9 s is too long for an event loop to stand still."""
    if "openai" not in sys.modules:
        await asyncio.to_thread(importlib.import_module, "openai")


def sdk_client(base_url: str, api_key: str) -> "AsyncOpenAI":
    """The running loop's client for this server; made once, since each costs 21 ms (TLS context).

    It never retries (the one retry policy is `agent.retry`) and raises `HttpRefusal` for every
    status that is no success. Await `load_sdk` first.
    """
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # noqa: PLC0415 - loaded lazily

    here = _clients.setdefault(asyncio.get_running_loop(), {})
    key = (base_url or OPENAI_BASE_URL, api_key or NO_KEY)
    if key not in here:
        here[key] = AsyncOpenAI(
            base_url=key[0],
            api_key=key[1],
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(event_hooks={"response": [_raise_refusal]}),
        )
    return here[key]


async def close_sdk_clients() -> None:
    """Close the running loop's clients and their idle connections; call it before the loop ends."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.close()


async def _raise_refusal(response: "httpx2.Response") -> None:
    """Done here because the SDK would read an error's body to its end, however long that is."""
    if response.is_success or response.has_redirect_location:
        return
    body = b""
    async with aclosing(response.aiter_bytes()) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > ERROR_BODY_BYTES:
                break
    text = body[:ERROR_BODY_BYTES].decode("utf-8", "replace")
    raise HttpRefusal(response.status_code, text, response.headers)
