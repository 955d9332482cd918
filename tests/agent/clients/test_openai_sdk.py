"""The shared SDK clients."""

import pytest

from agent.clients.openai_sdk import OPENAI_BASE_URL, close_sdk_clients, load_sdk, sdk_client


async def test_one_client_serves_a_server_and_key() -> None:
    await load_sdk()
    client = sdk_client("http://127.0.0.1:1/v1", "a")
    assert sdk_client("http://127.0.0.1:1/v1", "a") is client
    assert sdk_client("http://127.0.0.1:1/v1", "b") is not client
    assert client.max_retries == 0
    await close_sdk_clients()
    assert client.is_closed()


async def test_no_address_means_openai_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
    await load_sdk()
    client = sdk_client("", "")
    assert str(client.base_url) == OPENAI_BASE_URL + "/"
    assert client.api_key == "none"
    await close_sdk_clients()
