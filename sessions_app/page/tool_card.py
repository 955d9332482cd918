"""A tool call and its result as one card."""

from dataclasses import dataclass
from typing import Any, Literal

import orjson

from sessions_app.models import Message
from sessions_app.page.proposed import Proposed

PREVIEW_CHARS = 2_000  # of a result in the first page; the rest is one click away
LINE_CHARS = 160  # of the arguments beside the tool's name
FACT_CHARS = 100  # a longer or multi-line value stands in the body
OWN_KEYS = {"truncated", "original_characters"}  # shown as the badge

State = Literal["done", "error", "running", "lost"]


@dataclass(frozen=True, slots=True)
class ToolCard:
    """One call: `facts` are the result's short values, `body` its text, cut to `PREVIEW_CHARS`
    unless whole.

    `state`: "done", "error" (the tool said so), "running", or "lost" (no result will come).
    `body_chars` is the length of the uncut text that the model got; `full_chars` that of the output
    before the tool result was cut for the model, None when it wasn't or nobody knows.
    """

    name: str
    call_id: str
    state: State
    line: str
    arguments: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    body: str = ""
    body_chars: int = 0
    truncated: bool = False
    full_chars: int | None = None
    message: Message | None = None
    proposed: Proposed | None = None  # the memory that a `save_memory` result named

    @property
    def folded(self) -> bool:
        """Whether the card holds only the beginning of what the model got."""
        return len(self.body) < self.body_chars

    @property
    def duration_ms(self) -> int | None:
        """How long the tool ran, where that was stored."""
        return self.message.metadata.get("durationMs") if self.message else None


def waiting_card(call: dict[str, str], *, state: State) -> ToolCard:
    """The card of a call without a result."""
    line, whole = _arguments(call["arguments"])
    return ToolCard(call["name"], call["id"], state, line, whole)


def result_card(message: Message, call: dict[str, str] | None, *, whole: bool = False) -> ToolCard:
    """The card of a stored result; `call` is None for an orphan. `whole` keeps the body uncut."""
    line, arguments = _arguments(call["arguments"]) if call else ("", "")
    result = _parsed(message.content)
    facts, body = _split(result) if result is not None else ((), message.content)
    characters = (result or {}).get("original_characters")
    return ToolCard(
        name=message.tool_name,
        call_id=message.tool_call_id,
        state="error" if message.metadata.get("isError") else "done",
        line=line,
        arguments=arguments,
        facts=facts,
        body=body if whole else body[:PREVIEW_CHARS],
        body_chars=len(body),
        truncated=message.metadata.get("resultTruncated") is True,
        full_chars=characters if isinstance(characters, int) else None,
        message=message,
    )


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _arguments(text: str) -> tuple[str, str]:
    """The arguments on one line, and whole where the line does not say everything."""
    values = _parsed(text)
    if values is None:
        shown = [text]
    else:
        shown = [value if isinstance(value, str) else _json(value) for value in values.values()]
    line = " · ".join(" ".join(value.split()) for value in shown)
    if len(line) <= LINE_CHARS and "\n" not in "".join(shown):
        return line, ""
    whole = text if values is None else _listed(values)
    return f"{line[:LINE_CHARS]}…" if len(line) > LINE_CHARS else line, whole[:PREVIEW_CHARS]


def _split(result: dict[str, Any]) -> tuple[tuple[tuple[str, str], ...], str]:
    """The short values of a result, and the long ones as one text."""
    facts: list[tuple[str, str]] = []
    blocks: dict[str, Any] = {}
    for key, value in result.items():
        if key in OWN_KEYS:
            continue
        text = value if isinstance(value, str) else _json(value)
        if isinstance(value, list | dict) or len(text) > FACT_CHARS or "\n" in text:
            blocks[key] = value
        else:
            facts.append((key, text))
    if len(blocks) == 1:
        return tuple(facts), _block(next(iter(blocks.values())))
    return tuple(facts), _listed(blocks)


def _listed(values: dict[str, Any]) -> str:
    return "\n\n".join(f"{key}:\n{_block(value)}" for key, value in values.items())


def _block(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
