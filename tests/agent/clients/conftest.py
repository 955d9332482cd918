"""What the clients' tests share: the scripted server and a client that closes its connections."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from agent.clients.openai import OpenAIClient
from agent.clients.openai_sdk import close_sdk_clients, load_sdk
from tests.wire.fixture import Wire, wire, wire_server  # noqa: F401 - fixtures

MakeClient = Callable[..., OpenAIClient]


@pytest.fixture
async def make_client(wire: Wire) -> AsyncIterator[MakeClient]:  # noqa: F811
    """Make a client of the scripted server."""

    def make(**fields: Any) -> OpenAIClient:
        return OpenAIClient(**{"api_key": "sk-test-key", "base_url": wire.base_url, **fields})

    await load_sdk()  # so that short deadlines don't count it
    yield make
    await close_sdk_clients()


@pytest.fixture
def client(make_client: MakeClient) -> OpenAIClient:
    """A client with ordinary deadlines."""
    return make_client()
