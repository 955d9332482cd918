"""The prompt section that carries long-term memories. Plain Python, fed with the prompt's data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.prompt.context import MemoryHint, PromptContext
from agent.prompt.quoting import quoted
from agent.prompt.templates import render
from memory_app.identity import sha256

CONTENT_LIMIT = 500  # characters, the limit of an item; what is longer came around the checks


@dataclass(frozen=True, slots=True)
class Injection:
    """A memory as a run carries it: which, with what content, at how many tokens a request."""

    memory_id: int
    content_hash: str
    tokens: int


class MemoriesSection:
    """One line for each memory: its id, a project memory's key, its text as a JSON string."""

    key = "memories"

    def render(self, context: PromptContext) -> str | None:
        """The lines, in the order given; None without memories."""
        return section_text(context.language, context.memories) or None

    def count(self, context: PromptContext) -> int:
        """How many memories."""
        return len(context.memories)


def section_text(language: str, memories: Sequence[MemoryHint]) -> str:
    """Heading, introduction and one line for each memory; empty without memories."""
    if not memories:
        return ""
    items = "\n".join(_line(language, memory) for memory in memories)
    return render(language, "memories", items=items)


def injections(
    language: str, memories: Sequence[MemoryHint], count: Callable[[str], int]
) -> tuple[Injection, ...]:
    """What each memory costs: the tokens of its line, without a share of the heading."""
    return tuple(
        Injection(memory.id, sha256(memory.content), count(f"{_line(language, memory)}\n"))
        for memory in memories
    )


def _line(language: str, memory: MemoryHint) -> str:
    content = memory.content
    if len(content) > CONTENT_LIMIT:
        content = content[: CONTENT_LIMIT - 1] + "…"
    values = {"id": str(memory.id), "content": quoted(content)}
    if memory.scope == "PROJECT":
        return render(language, "memory_project", project=quoted(memory.project_key), **values)
    return render(language, "memory_user", **values)
