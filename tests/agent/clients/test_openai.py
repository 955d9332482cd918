"""The client over real HTTP: every awkward form, deadlines, cancel."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.clients import openai_body
from agent.clients.openai import OpenAIClient
from agent.errors import (
    ContextOverflow,
    ModelError,
    ModelOutputInvalid,
    ModelUnavailable,
    PayloadTooLarge,
)
from agent.messages import ModelResponse, TextDelta, Thinking, ToolCall, Usage
from tests.agent.clients.building import a_request, events_of, response_of, tool
from tests.wire.fixture import Wire, WireRequest

CASES = Path(__file__).parents[2] / "cases"
CUT = json.loads((CASES / "C27_stream.json").read_text())["input"]
BROKEN = json.loads((CASES / "C28a_stream.json").read_text())["input"]["streams"]


def data(**chunk: Any) -> str:
    return f"data: {json.dumps(chunk)}\n\n"


def saying(text: str, finish: str | None = None) -> str:
    return data(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish}])


def was_left(requests: list[WireRequest]) -> bool:
    return any(request.disconnected for request in requests)


async def test_it_streams_text_and_reports_usage(client: OpenAIClient, wire: Wire) -> None:
    usage = {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    wire.script({"text": "Hello world", "piece": 6, "reasoning": "Hm.", "usage": usage})
    events = await events_of(client.stream(a_request()))
    assert [e for e in events if isinstance(e, TextDelta)] == [
        TextDelta("Hello "),
        TextDelta("world"),
    ]
    assert events[-1] == ModelResponse(
        text="Hello world", thinking=(Thinking("Hm."),), usage=Usage(7, 3, 4), stop_reason="stop"
    )


async def test_it_sends_key_and_body(client: OpenAIClient, wire: Wire) -> None:
    await response_of(client, a_request(tools=(tool("ls"),)))
    sent = wire.requests()[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == "Bearer sk-test-key"
    assert sent.headers["content-type"] == "application/json"
    assert sent.body["messages"][-1] == {"role": "user", "content": "Hi"}
    assert (sent.body["stream"], sent.body["max_tokens"]) == (True, 1_000)


async def test_it_collects_parallel_calls(client: OpenAIClient, wire: Wire) -> None:
    calls = [{"name": "ls", "arguments": {"p": "ä"}, "id": "a"}, {"name": "cat", "id": "b"}]
    wire.script({"tool_calls": calls, "chunk_size": 9})
    response = await response_of(client, a_request())
    assert response.tool_calls == (
        ToolCall("a", "ls", '{"p": "\\u00e4"}'),
        ToolCall("b", "cat", "{}"),
    )
    assert (response.text, response.stop_reason) == ("", "tool_calls")


async def test_it_gives_a_tool_its_own_name_back(client: OpenAIClient, wire: Wire) -> None:
    request = a_request(tools=(tool("files.list all"),))
    await response_of(client, request)
    sent = wire.requests()[0].body["tools"][0]["function"]["name"]
    wire.script({"tool_calls": [{"name": sent}]})
    assert (await response_of(client, request)).tool_calls[0].name == "files.list all"


@pytest.mark.parametrize("size", CUT["chunk_sizes"])
async def test_it_reads_bytes_cut_anywhere(client: OpenAIClient, wire: Wire, size: int) -> None:
    wire.script({"sse_hex": CUT["sse_hex"], "chunk_size": size})
    response = await response_of(client, a_request())
    assert response.text == "Ä中🔥"
    assert response.tool_calls == (ToolCall("a", "n", '{"t":"日本"}'),)
    assert response.usage == Usage(prompt_tokens=5, completion_tokens=3)


async def test_an_error_inside_a_stream_is_classified(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"sse": BROKEN[0]})
    with pytest.raises(ContextOverflow, match="context window is full"):
        await events_of(client.stream(a_request()))


async def test_an_error_event_is_an_error(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"sse": 'event: error\ndata: {"message": "boom"}\n\n'})
    with pytest.raises(ModelUnavailable, match="boom"):
        await events_of(client.stream(a_request()))


async def test_a_stream_without_end_mark_is_a_lost_connection(
    client: OpenAIClient, wire: Wire
) -> None:
    wire.script({"sse": BROKEN[1]})
    with pytest.raises(ModelUnavailable, match="connection lost"):
        await events_of(client.stream(a_request()))


@pytest.mark.parametrize("pieces", [0, 2])
async def test_an_aborted_connection_is_lost(client: OpenAIClient, wire: Wire, pieces: int) -> None:
    wire.script({"text": "Hello world", "abort_after": pieces})
    with pytest.raises(ModelUnavailable, match="connection lost"):
        await events_of(client.stream(a_request()))


async def test_an_answer_is_whole_once_its_stop_reason_came(
    client: OpenAIClient, wire: Wire
) -> None:
    wire.script({"sse": saying("Hi", "stop"), "chunk_size": 500, "abort_after": 1})
    assert (await response_of(client, a_request())).text == "Hi"


async def test_a_silent_end_does_not_hold_the_answer_back(
    client: OpenAIClient, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_body, "TAIL_S", 0.05)
    wire.script({"sse": saying("Hi", "stop"), "hang_after": 1})
    assert (await response_of(client, a_request())).text == "Hi"


async def test_a_connection_kept_open_after_done_is_closed(
    client: OpenAIClient, wire: Wire
) -> None:
    wire.script({"text": "Hi", "usage": None, "hang_after": 4})
    assert (await response_of(client, a_request())).text == "Hi"
    wire.wait_for(was_left)


async def test_what_comes_after_done_is_read_past(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"sse": saying("Hi", "stop") + "data: [DONE]\n\n: bye\n\n", "chunk_size": 9})
    assert (await response_of(client, a_request())).text == "Hi"
    assert wire.wait_for(lambda requests: requests[0].duration > 0)[0].finished


async def test_a_last_event_without_blank_line_counts(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"sse": saying("Hi", "stop").rstrip()})
    assert (await response_of(client, a_request())).text == "Hi"


async def test_an_event_cut_at_the_end_is_a_lost_connection(
    client: OpenAIClient, wire: Wire
) -> None:
    wire.script({"sse": saying("Hi") + 'data: {"choices": [{"finish_rea'})
    with pytest.raises(ModelUnavailable, match="connection lost"):
        await events_of(client.stream(a_request()))


async def test_garbage_in_the_stream_is_named(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"sse": saying("Hi") + "data: {not json\n\n"})
    with pytest.raises(ModelUnavailable, match=r"unreadable data: '\{not json'"):
        await events_of(client.stream(a_request()))


async def test_a_page_with_status_200_is_named(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"status": 200, "body": "<html><h1>Sign in</h1></html>"})
    with pytest.raises(
        ModelUnavailable, match=r"without a stream \(text/html\): <html><h1>Sign in"
    ):
        await events_of(client.stream(a_request()))


async def test_an_empty_body_is_a_lost_connection(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"status": 200, "body": ""})
    with pytest.raises(ModelUnavailable, match="before its first chunk"):
        await events_of(client.stream(a_request()))


async def test_an_answer_that_was_not_streamed_is_taken(client: OpenAIClient, wire: Wire) -> None:
    message = {"role": "assistant", "content": "Whole"}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    wire.script({"status": 200, "body": body})
    assert (await response_of(client, a_request())).text == "Whole"


async def test_an_empty_answer_is_invalid(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"text": " \n"})
    with pytest.raises(ModelOutputInvalid, match="neither text nor a tool call"):
        await events_of(client.stream(a_request()))


async def test_a_flood_is_cut_off(
    client: OpenAIClient, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_body, "RESPONSE_BYTES", 10_000)
    wire.script({"text": "x" * 50_000, "piece": 100})
    with pytest.raises(ModelError, match="larger than 10,000 bytes"):
        await events_of(client.stream(a_request()))


async def test_a_rate_limit_carries_its_retry_after(client: OpenAIClient, wire: Wire) -> None:
    body = {"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}
    wire.script({"status": 429, "headers": {"retry-after": "7"}, "body": body})
    with pytest.raises(ModelUnavailable, match="Slow down") as caught:
        await events_of(client.stream(a_request()))
    assert (caught.value.status_code, caught.value.retry_after) == (429, 7.0)


async def test_a_refusal_does_not_repeat_the_key(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"status": 401, "body": {"error": {"message": "Bad key sk-test-key given"}}})
    with pytest.raises(ModelError) as caught:
        await events_of(client.stream(a_request()))
    assert str(caught.value) == "Bad key [key] given (HTTP 401)"
    assert caught.value.status_code == 401


async def test_a_refusal_that_is_no_json_is_read(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"status": 502, "body": "<html><h1>Bad Gateway</h1></html>"})
    with pytest.raises(ModelUnavailable, match="Bad Gateway"):
        await events_of(client.stream(a_request()))


async def test_an_unexplained_413_is_judged_by_our_estimate(
    client: OpenAIClient, wire: Wire
) -> None:
    wire.script({"status": 413, "body": ""})
    with pytest.raises(PayloadTooLarge):  # 47 of 16,000 tokens
        await events_of(client.stream(a_request()))


async def test_the_beginning_of_a_long_refusal_is_enough(client: OpenAIClient, wire: Wire) -> None:
    wire.script({"status": 400, "body": "nonsense " * 300_000})
    with pytest.raises(ModelError, match=r"^nonsense .* \(HTTP 400\)$"):
        await events_of(client.stream(a_request()))


async def test_it_learns_what_the_server_does_not_know(client: OpenAIClient, wire: Wire) -> None:
    refusal = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    wire.script({"status": 400, "body": {"error": {"message": refusal}}})
    await response_of(client, a_request())
    await response_of(client, a_request())
    limits = [[key for key in r.body if key.startswith("max_")] for r in wire.requests()]
    assert limits == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


async def test_no_server_is_unavailable() -> None:
    client = OpenAIClient(api_key="", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(ModelUnavailable, match=r"no connection to 127\.0\.0\.1:1: ConnectError"):
        await events_of(client.stream(a_request()))
