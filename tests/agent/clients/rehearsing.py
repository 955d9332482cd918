"""Plays runs of the rehearsal model with scripted tools, compactions included."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from agent.clients.rehearsal import answer
from agent.messages import Message, ModelResponse, ToolCall
from agent.request import ModelRequest
from agent.testing import check_pairs
from tests.agent.clients.building import SPEC, a_request, tool, user

ALL_TOOLS = tuple(
    tool(name)
    for name in (
        "read_file", "glob_search", "grep_search", "open_web_page", "shell_session",
        "write_file", "save_memory", "compact_context",
    )
)  # fmt: skip
FILES = [f"docs/{n:02}.md" for n in range(12)]
Outcome = Callable[[str, dict[str, Any]], dict[str, Any]]


def all_well(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a tool says that has nothing to say."""
    return {"ok": True}


@dataclass
class Rehearsal:
    """A session with the rehearsal model; `outcome` plays the tools."""

    outcome: Outcome = all_well
    tools: tuple[Any, ...] = ALL_TOOLS
    messages: list[Message] = field(default_factory=list)
    summary: str = ""

    def request(self, **fields: Any) -> ModelRequest:
        """The request at this point."""
        check_pairs(self.messages)
        request = a_request(*self.messages, tools=self.tools, summary=self.summary, **fields)
        return replace(request, messages=tuple(self.messages))

    def say(self, text: str) -> list[ModelResponse]:
        """A user message and all responses to it."""
        self.messages.append(replace(user(text), id=self.next_id()))
        return self.go_on()

    def go_on(self, rounds: int = 1_000) -> list[ModelResponse]:
        """Rounds until the answer, or so many."""
        responses: list[ModelResponse] = []
        while len(responses) < rounds and (not responses or responses[-1].tool_calls):
            responses.append(self.round())
        return responses

    def round(self) -> ModelResponse:
        """One request with the results of its calls."""
        response = answer(self.request())
        calls = response.tool_calls
        self.messages.append(Message("assistant", response.text, calls, id=self.next_id()))
        for call in calls:
            result = json.dumps(self.outcome(call.name, json.loads(call.arguments)))
            result_message = Message("tool", result, (), call.id, call.name, id=self.next_id())
            self.messages.append(result_message)
        return response

    def compact(self, keep: int) -> str:
        """Put all but the last `keep` messages into a handoff; returns it."""
        cut = len(self.messages) - keep
        before = replace(self, messages=self.messages[:cut])
        spec = replace(SPEC, max_output_tokens=1_600)
        reply = answer(before.request(instruction="Write a <handoff> block.", spec=spec))
        assert not reply.tool_calls
        self.summary = reply.text.removeprefix("<handoff>").removesuffix("</handoff>").strip()
        del self.messages[:cut]
        return reply.text

    def next_id(self) -> int:
        """Ids rise over compactions."""
        last = self.messages[-1].id if self.messages else 0
        return (last or 0) + 1


def made(responses: list[ModelResponse]) -> list[list[tuple[str, Any]]]:
    """The calls of each response as (tool, arguments)."""
    return [[read(call) for call in response.tool_calls] for response in responses]


def read(call: ToolCall) -> tuple[str, Any]:
    """A call as (tool, arguments)."""
    return call.name, json.loads(call.arguments)


def a_library(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Twelve files, one of which can't be read and one of which is cut."""
    if name == "glob_search":
        return {"paths": FILES, "total": len(FILES)}
    if arguments.get("path") == "docs/03.md":
        return {"error": "no such file"}
    return {"content": "text", "truncated": arguments.get("path") == "docs/05.md"}
