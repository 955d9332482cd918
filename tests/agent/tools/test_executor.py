import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from agent.errors import ConfigurationError, ToolError
from agent.messages import ToolCall, ToolDefinition, ToolResult
from agent.protocols import ToolOutcome
from agent.tools.executor import ToolExecutor, parse_arguments
from agent.tools.round_budget import RoundBudget
from tests.agent.tools.fault_cases import fault_case

Work = Callable[[Mapping[str, Any]], Awaitable[ToolOutcome]]


@dataclass
class WorkTool:
    """A tool that does what a test says."""

    name: str
    work: Work
    seen: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(self.name, f"The tool {self.name}.")

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        self.seen.append(arguments)
        return await self.work(arguments)


async def say(arguments: Mapping[str, Any]) -> ToolOutcome:
    text = str(arguments.get("text", ""))
    return ToolOutcome({"said": text}, "said")


async def wait(arguments: Mapping[str, Any]) -> ToolOutcome:
    await asyncio.sleep(arguments["seconds"])
    return ToolOutcome({"waited": arguments["seconds"]})


def call(name: str, arguments: object = None, id: str = "c") -> ToolCall:
    text = arguments if isinstance(arguments, str) else orjson.dumps(arguments or {}).decode()
    return ToolCall(id, name, text)


async def run(executor: ToolExecutor, *calls: ToolCall) -> list[ToolResult]:
    return [result async for result in executor.run_round(calls)]


def executor(work: Work = say, budget: RoundBudget | None = None) -> ToolExecutor:
    return ToolExecutor([WorkTool("say", work), WorkTool("wait", wait)], budget=budget)


def data(result: ToolResult) -> Any:
    return orjson.loads(result.text)


def test_it_offers_its_tools_in_the_order_given() -> None:
    assert [definition.name for definition in executor().definitions] == ["say", "wait"]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="same name: say, say"):
        ToolExecutor([WorkTool("say", say), WorkTool("say", say)])


async def test_a_result_is_compact_json_with_its_duration() -> None:
    (result,) = await run(executor(), call("say", {"text": "hello"}))
    assert result.text == '{"said":"hello"}'
    assert result.call == call("say", {"text": "hello"})
    assert (result.is_error, result.truncated, result.full_output) == (False, False, None)
    assert 0 <= result.duration_ms < 1_000


async def test_the_duration_is_in_milliseconds() -> None:
    (result,) = await run(executor(), call("wait", {"seconds": 0.05}))
    assert 50 <= result.duration_ms < 1_000


async def test_calls_run_side_by_side_and_results_keep_their_order() -> None:
    started = time.monotonic()
    waits = [call("wait", {"seconds": seconds}, str(seconds)) for seconds in (0.2, 0.1, 0.15)]
    results = await run(executor(), *waits)
    assert [result.call.id for result in results] == ["0.2", "0.1", "0.15"]
    assert time.monotonic() - started < 0.4


async def test_a_finished_result_does_not_wait_for_slower_ones() -> None:
    budget = RoundBudget(1_000, len)
    calls = [call("say", {"text": "a"}), call("wait", {"seconds": 30})]
    async with aclosing(executor(budget=budget).run_round(calls)) as results:
        first = await asyncio.wait_for(anext(results), 2)
    assert data(first) == {"said": "a"}


async def test_a_round_without_calls_has_no_results() -> None:
    assert await run(executor(budget=RoundBudget(10, len))) == []


async def test_the_calls_of_fault_case_c23a_each_get_one_result() -> None:
    calls = [
        ToolCall(one["id"], one["function"]["name"], one["function"]["arguments"])
        for one in fault_case("C23a_toolcall")["calls"]
    ]
    tool = WorkTool("ls", say)
    results = await run(ToolExecutor([tool]), *calls)
    assert [(result.call.id, result.is_error) for result in results] == [
        ("b1", True),
        ("b3", True),
        ("b5", False),
        ("b7", True),
        ("b9", True),
        ("b11", True),
    ]
    assert all("error" in data(result) for result in results if result.is_error)
    assert tool.seen == [{}]


async def test_an_unknown_tool_is_named_with_what_is_offered() -> None:
    results = await run(executor(), call("l s"), call(" "))
    assert [data(result) for result in results] == [
        {"error": "there is no tool 'l s'; offered: say, wait"},
        {"error": "the call names no tool; offered: say, wait"},
    ]


async def test_an_executor_without_tools_says_so() -> None:
    (result,) = await run(ToolExecutor([]), call("x"))
    assert data(result) == {"error": "there is no tool 'x'; offered: none"}


@pytest.mark.parametrize("text", ["", " \n", "null", "{}"])
def test_blank_arguments_are_none(text: str) -> None:
    assert parse_arguments(text) == {}


@pytest.mark.parametrize(
    "text", ['{"a"', "[]", '"a"', "1", "NaN", '{"a":NaN}', "{}{}", '"\ud800"', "[" * 100_000]
)
def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(ToolError, match="the arguments are") as caught:
        parse_arguments(text)
    assert len(str(caught.value)) < 500


async def test_a_tool_error_is_the_result() -> None:
    async def refuse(arguments: Mapping[str, Any]) -> ToolOutcome:
        raise ToolError("no such file")

    (result,) = await run(executor(refuse), call("say"))
    assert (result.is_error, result.text) == (True, '{"error":"no such file"}')


@pytest.mark.parametrize(
    "outcome",
    [ToolOutcome({"bad": {1, 2}}), ToolOutcome({"big": 2**70}), ToolOutcome("no")],  # type: ignore[arg-type]
)
async def test_an_outcome_that_is_no_json_is_an_error(outcome: ToolOutcome) -> None:
    async def odd(arguments: Mapping[str, Any]) -> ToolOutcome:
        return outcome

    (result,) = await run(executor(odd), call("say"))
    assert result.is_error


async def test_a_crash_is_logged_and_told_without_its_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def crash(arguments: Mapping[str, Any]) -> ToolOutcome:
        raise ValueError("key sk-123")

    with caplog.at_level(logging.ERROR):
        results = await run(executor(crash), call("say"), call("wait", {"seconds": 0}))
    assert data(results[0]) == {
        "error": "say failed unexpectedly (ValueError); the server's log has the details"
    }
    assert data(results[1]) == {"waited": 0}
    assert "key sk-123" in caplog.text


async def test_a_tool_that_cancels_itself_is_an_error_and_not_our_end() -> None:
    async def cancel(arguments: Mapping[str, Any]) -> ToolOutcome:
        raise asyncio.CancelledError

    results = await run(executor(cancel), call("say"), call("wait", {"seconds": 0}))
    assert [data(result) for result in results] == [
        {"error": "the tool was cancelled"},
        {"waited": 0},
    ]
    assert results[0].is_error


async def test_texts_are_made_valid() -> None:
    async def odd(arguments: Mapping[str, Any]) -> ToolOutcome:
        return ToolOutcome({"a\x00": ["\ud83d\ude00", "\ud800"]})

    (result,) = await run(executor(odd), call("say"))
    assert data(result) == {"a␀": ["😀", "�"]}


async def test_the_uncut_text_is_kept_and_made_valid_too() -> None:
    async def long(arguments: Mapping[str, Any]) -> ToolOutcome:
        return ToolOutcome({"said": "a", "truncated": True}, "said", full_output="a\x00b")

    (result,) = await run(executor(long), call("say"))
    assert (result.truncated, result.full_output) == (True, "a␀b")


async def test_a_cut_without_an_uncut_text_keeps_what_there_is() -> None:
    async def foreign(arguments: Mapping[str, Any]) -> ToolOutcome:
        return ToolOutcome({"rows": [1], "truncated": True})

    (result,) = await run(executor(foreign), call("say"))
    assert (result.truncated, result.full_output) == (True, '{"rows":[1],"truncated":true}')


async def test_the_results_of_a_round_share_the_budget() -> None:
    sizes = [10, 5_000, 20, 9_000]
    calls = [call("say", {"text": "x" * size}, str(size)) for size in sizes]
    results = await run(executor(budget=RoundBudget(2_000, len)), *calls)
    assert sum(len(result.text) for result in results) <= 2_000
    assert [result.truncated for result in results] == [False, True, False, True]
    assert [result.full_output for result in results] == [None, "x" * 5_000, None, "x" * 9_000]
    assert [result.call.id for result in results] == ["10", "5000", "20", "9000"]
    assert min(len(results[1].text), len(results[3].text)) > 850


async def test_a_big_result_is_not_cut_where_the_others_leave_room() -> None:
    calls = [call("say", {"text": "x" * size}) for size in (1_500, 10)]
    results = await run(executor(budget=RoundBudget(2_000, len)), *calls)
    assert [result.truncated for result in results] == [False, False]


async def test_a_long_error_is_cut_too_and_stays_an_error() -> None:
    async def refuse(arguments: Mapping[str, Any]) -> ToolOutcome:
        raise ToolError("no " * 1_000)

    (result,) = await run(executor(refuse, RoundBudget(500, len)), call("say"))
    assert (result.is_error, result.truncated) == (True, True)
    assert data(result)["error"].startswith("no no")


async def test_without_a_budget_nothing_is_cut() -> None:
    (result,) = await run(executor(), call("say", {"text": "x" * 1_000_000}))
    assert (result.truncated, len(result.text)) == (False, 1_000_000 + len('{"said":""}'))


async def test_cancelling_the_reader_cancels_the_tools() -> None:
    ended = []

    async def note_end(arguments: Mapping[str, Any]) -> ToolOutcome:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(True)
        return ToolOutcome({})

    reader = asyncio.create_task(run(executor(note_end), call("say"), call("say")))
    await asyncio.sleep(0.05)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert ended == [True, True]


async def test_closing_the_generator_cancels_the_tools_that_still_run() -> None:
    calls = [call("say"), call("wait", {"seconds": 30})]
    async with aclosing(executor().run_round(calls)) as results:
        await anext(results)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert others == set()


async def test_a_tool_that_will_not_stop_does_not_hold_up_a_cancel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stubborn(arguments: Mapping[str, Any]) -> ToolOutcome:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)
        return ToolOutcome({})

    monkeypatch.setattr("agent.tools.executor.CANCEL_GRACE_S", 0.05)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(run(executor(stubborn), call("say")), 0.05)
    assert time.monotonic() - started < 0.25
    await asyncio.sleep(0.4)
