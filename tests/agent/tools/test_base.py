import asyncio
import threading
import time
from typing import Any

import pytest
from pydantic import Field

from agent.errors import ToolError
from agent.protocols import ToolOutcome
from agent.tools.base import ToolArguments, WorkspaceTool
from agent.tools.paths import Workspace


class EchoArguments(ToolArguments):
    """For developers only."""

    title: str = Field(description="A name.")
    times: int = Field(1, ge=1, le=9, description="How often.")
    mark: str | None = Field(None, description="What stands between.")


class Echo(WorkspaceTool[EchoArguments]):
    """Says it again; waits to be cancelled when the title is "wait"."""

    name = "echo"
    description = "Says it again."
    Arguments = EchoArguments
    stopped_after = -1.0

    def work(self, arguments: EchoArguments, cancelled: threading.Event) -> ToolOutcome:
        started = time.monotonic()
        if arguments.title == "wait":
            assert cancelled.wait(5)
            self.stopped_after = time.monotonic() - started
        return ToolOutcome(
            {"said": (arguments.mark or "").join([arguments.title] * arguments.times)}
        )


@pytest.fixture
def echo(workspace: Workspace) -> Echo:
    return Echo(workspace)


def refusal(tool: Echo, arguments: dict[str, Any]) -> str:
    with pytest.raises(ToolError) as caught:
        tool.parse(arguments)
    return str(caught.value)


def test_the_definition_holds_what_a_model_needs_and_no_more(echo: Echo) -> None:
    assert (echo.definition.name, echo.definition.description) == ("echo", "Says it again.")
    assert echo.definition.parameters == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "A name."},
            "times": {
                "type": "integer",
                "minimum": 1,
                "maximum": 9,
                "default": 1,
                "description": "How often.",
            },
            "mark": {"type": "string", "description": "What stands between."},
        },
        "required": ["title"],
        "additionalProperties": False,
    }


def test_the_definition_is_made_once(workspace: Workspace) -> None:
    assert Echo(workspace).definition is Echo(workspace).definition


async def test_it_runs_with_checked_arguments(echo: Echo) -> None:
    outcome = await echo.run({"title": "ha", "times": 2, "mark": "-"})
    assert outcome == ToolOutcome({"said": "ha-ha"})


async def test_null_counts_as_not_given(echo: Echo) -> None:
    outcome = await echo.run({"title": "ha", "times": None, "mark": None})
    assert outcome == ToolOutcome({"said": "ha"})


def test_a_refusal_names_argument_value_and_what_is_allowed(echo: Echo) -> None:
    assert refusal(echo, {"title": "x", "times": 10}) == (
        'argument "times" is 10: it should be less than or equal to 9'
    )
    assert refusal(echo, {"title": ["x"]}) == (
        "argument \"title\" is ['x']: it should be a valid string"
    )
    assert refusal(echo, {}) == 'argument "title" is missing; arguments: title, times, mark'
    assert refusal(echo, {"title": "x", "path": "y"}) == (
        'argument "path" is unknown; allowed: title, times, mark'
    )


def test_a_long_refused_value_is_shortened(echo: Echo) -> None:
    text = refusal(echo, {"title": "x", "times": "9" * 5000})
    assert len(text) < 400
    assert "(5,002 characters)" in text


def test_every_problem_is_told(echo: Echo) -> None:
    assert refusal(echo, {"times": 0, "x": 1}).count("\n") == 2


async def test_cancelling_tells_the_thread_to_stop(echo: Echo) -> None:
    task = asyncio.create_task(echo.run({"title": "wait"}))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.05)
    assert 0 < echo.stopped_after < 2
