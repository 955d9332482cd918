"""The messages of a fault case as they would be stored."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from agent.messages import Message, Thinking, ToolCall
from tests.agent.tools.fault_cases import CASES, fault_case
from tests.compaction_app.histories import numbered

SUMMARY_MARK = "[summary] "
MESSAGE_TOKENS = 1_000  # as in a window of real size, a tenth of which holds a summary


@dataclass(frozen=True)
class Fault:
    """A case of the op `compact`; `summary` is what an earlier compaction left."""

    messages: list[Message]
    summary: str
    input: dict[str, Any]
    expect: list[dict[str, Any]]

    def cuts(self) -> list[int]:
        """Where the case wants its cut: how many of its messages would go."""
        if self.input.get("cut_sweep") == "all":
            return list(range(len(self.messages) + 1))
        return [len(self.messages) - int(self.input.get("keep_last", 1))]


def fault(name: str) -> Fault:
    """The case of this file."""
    given = fault_case(name)
    expect = json.loads((CASES / f"{name}.json").read_text())["expect"]
    read = READERS[given["format"]]
    messages = [message for raw in given["messages"] for message in read(raw)]
    summary = "".join(
        raw["content"].removeprefix(SUMMARY_MARK) for raw in given["messages"] if _is_summary(raw)
    )
    sized = [replace(message, tokens=MESSAGE_TOKENS) for message in messages]
    return Fault(numbered(sized), summary, given, expect)


def _is_summary(raw: dict[str, Any]) -> bool:
    return bool(raw.get("meta", {}).get("summary"))


def _openai(raw: dict[str, Any]) -> Iterator[Message]:
    """The system prompt and summaries are no messages of ours."""
    if raw["role"] == "system" or _is_summary(raw):
        return
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in raw.get("tool_calls", ())
    )
    yield Message(
        role=raw["role"],
        content=raw["content"] or "",
        tool_calls=calls,
        tool_call_id=raw.get("tool_call_id", ""),
    )


def _anthropic(raw: dict[str, Any]) -> Iterator[Message]:
    """Results in a user message are messages of their own, its text is the user's."""
    content = raw["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    if raw["role"] == "assistant":
        yield Message(
            "assistant",
            text,
            tool_calls=tuple(
                ToolCall(block["id"], block["name"], json.dumps(block["input"]))
                for block in blocks
                if block["type"] == "tool_use"
            ),
            thinking=tuple(_thinking(blocks)),
        )
        return
    for block in blocks:
        if block["type"] == "tool_result":
            yield Message("tool", block["content"], tool_call_id=block["tool_use_id"])
    if text:
        yield Message("user", text)


def _thinking(blocks: list[dict[str, Any]]) -> Iterator[Thinking]:
    for block in blocks:
        if block["type"] == "thinking":
            yield Thinking(block["thinking"], signature=block["signature"])
        elif block["type"] == "redacted_thinking":
            yield Thinking(redacted=block["data"])


READERS: dict[str, Callable[[dict[str, Any]], Iterator[Message]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
}
