"""The client's deadlines and what happens to the connection when it is left."""

import asyncio
import socket
from contextlib import aclosing
from typing import Any

import pytest

from agent.clients.base import Deadlines
from agent.clients.openai import OpenAIClient
from agent.errors import ModelUnavailable
from tests.agent.clients.building import a_request, events_of, response_of, text_of
from tests.agent.clients.conftest import MakeClient
from tests.wire.fixture import Wire, WireRequest


def was_left(requests: list[WireRequest]) -> bool:
    return any(request.disconnected for request in requests)


async def test_the_connect_deadline(make_client: MakeClient) -> None:
    with socket.socket() as listening, socket.socket() as first, socket.socket() as second:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for full in (first, second):  # the queue of a server that accepts nobody
            full.setblocking(False)
            full.connect_ex(listening.getsockname())
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        client = make_client(base_url=url, deadlines=Deadlines(connect=0.1))
        with pytest.raises(ModelUnavailable, match=r"passed the connect deadline of 0\.1 s"):
            await events_of(client.stream(a_request()))


async def test_the_first_token_deadline(make_client: MakeClient, wire: Wire) -> None:
    client = make_client(deadlines=Deadlines(first_token=0.6))
    wire.script({"text": "Hi", "hang_after": 0, "keepalive": 0.02})
    with pytest.raises(ModelUnavailable, match=r"first-token deadline of 0\.6 s"):
        await events_of(client.stream(a_request()))
    wire.wait_for(was_left, seconds=2)


async def test_the_gap_deadline_is_not_fooled_by_keep_alives(
    make_client: MakeClient, wire: Wire
) -> None:
    client = make_client(deadlines=Deadlines(chunk_gap=0.2))
    wire.script({"text": "Hello", "hang_after": 2, "keepalive": 0.02})
    with pytest.raises(ModelUnavailable, match=r"chunk-gap deadline of 0\.2 s"):
        await events_of(client.stream(a_request()))


async def test_the_total_deadline_is_not_fooled_by_a_drip(
    make_client: MakeClient, wire: Wire
) -> None:
    client = make_client(deadlines=Deadlines(total=0.4))
    wire.script({"text": "x" * 1_000, "piece": 1, "pause": 0.02})
    with pytest.raises(ModelUnavailable, match=r"total deadline of 0\.4 s"):
        await events_of(client.stream(a_request()))


async def test_a_slow_tool_call_is_no_silence(make_client: MakeClient, wire: Wire) -> None:
    client = make_client(deadlines=Deadlines(chunk_gap=0.5))
    piece = {"index": 0, "id": "a", "function": {"name": "f", "arguments": " "}}
    pieces = [{"choices": [{"delta": {"tool_calls": [piece]}}]}] * 8
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    wire.script({"chunks": [*pieces, end], "pause": 0.1})
    assert len((await response_of(client, a_request())).tool_calls) == 1


async def test_closing_the_stream_closes_the_connection(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"text": "x" * 1_000, "piece": 1, "pause": 0.02})
    async with aclosing(client.stream(a_request())) as events:
        assert text_of([await anext(events)]) == "x"
    wire.wait_for(was_left, seconds=2)


@pytest.mark.parametrize("reply", [{"delay": 60}, {"text": "x" * 99, "hang_after": 3}])
async def test_a_cancel_closes_the_connection(
    client: OpenAIClient, wire: Wire, reply: dict[str, Any]
) -> None:
    wire.script(reply)
    task = asyncio.create_task(events_of(client.stream(a_request())))
    while not wire.requests():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    wire.wait_for(was_left, seconds=2)
