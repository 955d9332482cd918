"""The prompt section that carries long-term memories. Plain Python, fed with the prompt's data."""

from agent.prompt.context import MemoryHint, PromptContext
from agent.prompt.quoting import quoted
from agent.prompt.templates import render

CONTENT_LIMIT = 500  # characters, the limit of an item; what is longer came around the checks


class MemoriesSection:
    """One line for each memory: its id, a project memory's key, its text as a JSON string."""

    key = "memories"

    def render(self, context: PromptContext) -> str | None:
        """The lines, in the order given; None without memories."""
        if not context.memories:
            return None
        items = "\n".join(_line(context.language, memory) for memory in context.memories)
        return render(context.language, "memories", items=items)

    def count(self, context: PromptContext) -> int:
        """How many memories."""
        return len(context.memories)


def _line(language: str, memory: MemoryHint) -> str:
    content = memory.content
    if len(content) > CONTENT_LIMIT:
        content = content[: CONTENT_LIMIT - 1] + "…"
    values = {"id": str(memory.id), "content": quoted(content)}
    if memory.scope == "PROJECT":
        return render(language, "memory_project", project=quoted(memory.project_key), **values)
    return render(language, "memory_user", **values)
