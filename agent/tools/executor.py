"""Runs the tool calls of one round and makes results of whatever happens."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from agent.errors import ConfigurationError, ToolError
from agent.messages import ToolCall, ToolDefinition, ToolResult
from agent.protocols import AnswersBadArguments, Tool, ToolOutcome
from agent.text import clean, clean_json
from agent.tools.round_budget import RoundBudget, fit, render, share

logger = logging.getLogger(__name__)

CANCEL_GRACE_S = 1.0  # how long a cancelled tool may clean up before we go on without it
SHOWN_ARGUMENT_CHARS = 200


@dataclass(frozen=True, slots=True)
class _Answer:
    """A call's outcome, fit for storage, with the text that the model gets."""

    call: ToolCall
    outcome: ToolOutcome
    text: str
    cost: int
    duration_ms: int = 0

    def result(self) -> ToolResult:
        """The answer as the loop takes it; the uncut text only where something was cut."""
        truncated = self.outcome.data.get("truncated") is True
        full = self.outcome.full_output
        if full is None:
            full = str(self.outcome.data.get(self.outcome.body_key, self.text))
        return ToolResult(
            call=self.call,
            text=self.text,
            is_error=self.outcome.is_error,
            truncated=truncated,
            full_output=full if truncated else None,
            duration_ms=self.duration_ms,
        )


class ToolExecutor:
    """A `ToolRunner` over a fixed list of tools.

    `budget`: room for all results of a round together; None = only the tools' own limits hold.
    """

    def __init__(self, tools: Sequence[Tool], *, budget: RoundBudget | None = None) -> None:
        self._tools = {tool.definition.name: tool for tool in tools}
        self._budget = budget
        if len(self._tools) < len(tools):
            names = [tool.definition.name for tool in tools]
            raise ConfigurationError(f"two tools have the same name: {', '.join(names)}")

    @property
    def definitions(self) -> Sequence[ToolDefinition]:
        """The tools offered, in the order given."""
        return tuple(tool.definition for tool in self._tools.values())

    async def run_round(self, calls: Sequence[ToolCall]) -> AsyncGenerator[ToolResult, None]:
        """Run all calls side by side; yield their results in the order of the calls.

        A result that surely needs no cut is yielded as soon as its turn comes; the first that may
        need one waits for all, since what small ones leave goes to the big ones. Closing the
        generator, or cancelling the task that reads it, cancels the tools that still run.
        """
        tasks = [asyncio.create_task(self._run(call)) for call in calls]
        try:
            answers: list[_Answer] = []
            for call, task in zip(calls, tasks, strict=True):
                answers.append(await _settled(call, task))
                if self._budget and answers[-1].cost > self._budget.tokens // len(calls):
                    break
                yield answers[-1].result()
            else:
                return
            yielded = len(answers) - 1
            for call, task in list(zip(calls, tasks, strict=True))[len(answers) :]:
                answers.append(await _settled(call, task))
            for answer in (await asyncio.to_thread(_shared, answers, self._budget))[yielded:]:
                yield answer.result()
        finally:
            await _stopped(tasks)

    async def _run(self, call: ToolCall) -> _Answer:
        """The call's answer, whatever the tool does."""
        started = time.monotonic()
        failure = ""
        try:
            outcome = await _outcome(self._tool(call.name), call.arguments)
            answer = await asyncio.to_thread(_answer, call, outcome, self._budget)
        except ToolError as error:
            failure = str(error) or type(error).__name__
        except Exception as error:  # a tool's fault must not end the run
            logger.exception("tool %r failed", call.name)
            kind = type(error).__name__
            failure = f"{call.name} failed unexpectedly ({kind}); the server's log has the details"
        if failure:
            outcome = ToolOutcome({"error": failure}, "error", is_error=True)
            answer = await asyncio.to_thread(_answer, call, outcome, self._budget)
        duration_ms = round((time.monotonic() - started) * 1000)
        return replace(answer, duration_ms=duration_ms)

    def _tool(self, name: str) -> Tool:
        if name in self._tools:
            return self._tools[name]
        offered = ", ".join(self._tools) or "none"
        if not name.strip():
            raise ToolError(f"the call names no tool; offered: {offered}")
        raise ToolError(f"there is no tool {_short(name)}; offered: {offered}")


async def _outcome(tool: Tool, text: str) -> ToolOutcome:
    """What the tool makes of arguments as the model wrote them."""
    try:
        arguments = parse_arguments(text)
    except ToolError as problem:
        if isinstance(tool, AnswersBadArguments):
            return await tool.refuse(str(problem))
        raise
    return await tool.run(arguments)


def parse_arguments(text: str) -> dict[str, Any]:
    """The arguments of a call as an object; blank text and null are {}. Raises `ToolError`."""
    if not text.strip():
        return {}
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ToolError(
            f"the arguments are no valid JSON ({error}): {_short(text)}; expected one object"
        ) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ToolError(f"the arguments are {_short(text)}; expected an object like {{}}")
    return value


def _answer(call: ToolCall, outcome: ToolOutcome, budget: RoundBudget | None) -> _Answer:
    """The outcome cleaned, rendered and counted (in tokens; 0 without a budget)."""
    full = None if outcome.full_output is None else clean(outcome.full_output)
    outcome = replace(outcome, data=clean_json(dict(outcome.data)), full_output=full)
    text = render(outcome)
    return _Answer(call, outcome, text, cost=budget.count(text) if budget else 0)


def _shared(answers: Sequence[_Answer], budget: RoundBudget) -> list[_Answer]:
    """The answers cut to what each may have of the budget."""
    allowed = share([answer.cost for answer in answers], budget.tokens)
    return [_fitted(answer, room, budget) for answer, room in zip(answers, allowed, strict=True)]


def _fitted(answer: _Answer, room: int, budget: RoundBudget) -> _Answer:
    if answer.cost <= room:
        return answer
    outcome = fit(answer.outcome, room, budget.count)
    return replace(answer, outcome=outcome, text=render(outcome))


async def _settled(call: ToolCall, task: asyncio.Task[_Answer]) -> _Answer:
    """The task's answer, also when the tool cancelled itself; our own cancellation is raised."""
    await asyncio.wait([task])
    if task.cancelled():
        outcome = ToolOutcome({"error": "the tool was cancelled"}, "error", is_error=True)
        return _answer(call, outcome, None)
    return task.result()


async def _stopped(tasks: Sequence[asyncio.Task[_Answer]]) -> None:
    """Cancel what still runs, and give it a moment to clean up."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=CANCEL_GRACE_S)


def _short(text: str) -> str:
    shown = text if len(text) <= SHOWN_ARGUMENT_CHARS else f"{text[:SHOWN_ARGUMENT_CHARS]}..."
    return repr(shown)
