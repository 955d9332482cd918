import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from agent.errors import (
    ContextOverflow,
    ModelError,
    ModelOutputInvalid,
    ModelUnavailable,
    RoundLimitReached,
)
from agent.loop import AgentLoop, Limits
from agent.messages import (
    Message,
    ModelResponse,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)
from agent.request import ModelRequest
from agent.retry import RetryPolicy
from agent.testing import (
    OpenGates,
    RecordingListener,
    ScriptedClient,
    ScriptedTools,
    make_builder,
    make_conversation,
)

READ = ToolCall("c1", "read", '{"path": "a"}')
LIST = ToolCall("c2", "list", "{}")


def calling(*calls: ToolCall, stop_reason: str = "tool_calls") -> ModelResponse:
    return ModelResponse(tool_calls=calls, stop_reason=stop_reason, usage=Usage(10, 2, 0))


def make_loop(*replies: Any, **ports: Any) -> AgentLoop:
    tools = ports.pop("tools", ScriptedTools({"read": '{"content": "x"}', "list": '{"paths": []}'}))
    window = ports.pop("window", 128_000)
    defaults = {
        "client": ScriptedClient(list(replies)),
        "tools": tools,
        "listener": RecordingListener(),
        "gates": OpenGates(),
        "builder": make_builder(tools=tools.definitions, window=window),
        "conversation": make_conversation(Message("user", "go")),
        "retry": RetryPolicy(first_delay=0.001),
    }
    return AgentLoop(**{**defaults, **ports})


def told(loop: AgentLoop) -> list[str]:
    assert isinstance(loop.listener, RecordingListener)
    return loop.listener.names()


async def test_it_ends_when_the_model_answers_without_a_call() -> None:
    loop = make_loop("Done.")
    await loop.run()
    assert told(loop) == ["request_started", "delta", "response_finished"]
    assert [(m.role, m.content) for m in loop.conversation.history.messages()] == [
        ("user", "go"),
        ("assistant", "Done."),
    ]


async def test_the_answer_is_stored_before_its_first_tool_starts_and_each_result_in_order() -> None:
    loop = make_loop(calling(READ, LIST), "Done.")
    await loop.run()
    assert told(loop) == [
        "request_started",
        "response_finished",
        "tool_started",
        "tool_started",
        "tool_finished",
        "tool_finished",
        "request_started",
        "delta",
        "response_finished",
    ]


async def test_the_next_request_holds_calls_and_results() -> None:
    loop = make_loop(calling(READ), "Done.")
    await loop.run()
    assert isinstance(loop.client, ScriptedClient)
    last = loop.client.requests[-1].messages
    assert [(m.role, m.content) for m in last] == [
        ("user", "go"),
        ("assistant", ""),
        ("tool", '{"content": "x"}'),
    ]


async def test_only_a_top_level_truncated_true_flags_a_result() -> None:
    texts = {
        "t": '{"truncated": true}',
        "f": '{"truncated": "true"}',
        "a": '[{"truncated": true}]',
        "n": "truncated: true",
        "d": '{"x": {"truncated": true}}',
    }
    flags = {}

    class Noting(RecordingListener):
        async def tool_finished(self, message: Message, result: Any) -> Message:
            flags[result.call.name] = result.truncated
            return await super().tool_finished(message, result)

    calls = [ToolCall(f"c{name}", name, "{}") for name in texts]
    loop = make_loop(calling(*calls), "Done.", tools=ScriptedTools(texts), listener=Noting())
    await loop.run()
    assert flags == {"t": True, "f": False, "a": False, "n": False, "d": False}


async def test_calls_cut_by_the_output_limit_are_not_run() -> None:
    loop = make_loop(calling(READ, stop_reason="length"), "Done.")
    await loop.run()
    assert isinstance(loop.tools, ScriptedTools)
    assert loop.tools.ran == []
    assert "Not run" in loop.conversation.history.messages()[2].content


async def test_three_rounds_of_cut_calls_in_a_row_end_the_run() -> None:
    rounds = [calling(ToolCall(f"c{n}", "read", "{"), stop_reason="length") for n in range(4)]
    loop = make_loop(*rounds)
    with pytest.raises(ModelOutputInvalid, match="3 rounds in a row"):
        await loop.run()


async def test_a_run_has_a_limited_number_of_rounds() -> None:
    rounds = [calling(ToolCall(f"c{n}", "read", "{}")) for n in range(3)]
    loop = make_loop(*rounds, limits=Limits(rounds=2))
    with pytest.raises(RoundLimitReached, match="2 rounds"):
        await loop.run()


async def test_a_request_that_does_not_fit_ends_the_run_with_the_sizes() -> None:
    loop = make_loop("never", window=1_030)
    with pytest.raises(ContextOverflow, match=r"needs about 41 tokens .* has 1,030") as caught:
        await loop.run()
    assert caught.value.limit == 1_030
    assert told(loop) == []


async def test_a_broken_stream_is_tried_again_and_said() -> None:
    loop = make_loop([TextDelta("par"), ModelUnavailable("connection lost")], "Done.")
    await loop.run()
    assert told(loop) == ["request_started", "delta", "retrying", "delta", "response_finished"]


async def test_a_stream_without_a_response_is_a_failure_not_an_answer() -> None:
    loop = make_loop([TextDelta("par")], retry=RetryPolicy(max_retries=0))
    with pytest.raises(ModelUnavailable, match="without a response"):
        await loop.run()
    assert told(loop) == ["request_started", "delta", "request_failed"]


async def test_a_refusal_ends_the_run_at_once() -> None:
    loop = make_loop(ModelError("bad request", status_code=400))
    with pytest.raises(ModelError, match="bad request"):
        await loop.run()
    assert told(loop) == ["request_started", "request_failed"]


class HangingClient:
    closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        try:
            yield ThinkingDelta("hm")
            yield TextDelta("half an ")
            await asyncio.sleep(60)
        finally:
            self.closed = True


async def test_a_cancelled_stream_keeps_what_was_streamed_and_closes_the_connection() -> None:
    client, listener = HangingClient(), RecordingListener()
    task = asyncio.create_task(make_loop(client=client, listener=listener).run())
    while "delta" not in listener.names():
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.01)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert listener.events[-1] == ("response_cancelled", "half an ")
    assert client.closed


async def test_a_very_long_result_is_counted_in_a_thread() -> None:
    long = '{"content": "' + "word " * 50_000 + '"}'
    loop = make_loop(calling(READ), "Done.", tools=ScriptedTools({"read": long}))
    await loop.run()
    assert (loop.conversation.history.messages()[2].tokens or 0) > 49_000
