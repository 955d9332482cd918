"""Best practices of the agent profile, one line each."""

from agent.prompt.context import PromptContext
from agent.prompt.quoting import bare_line
from agent.prompt.templates import render


class Experiences:
    """A bullet for each line that isn't blank."""

    key = "experiences"

    def render(self, context: PromptContext) -> str | None:
        """The bullets; None without any."""
        lines = self._lines(context)
        if not lines:
            return None
        items = "\n".join(f"- {bare_line(line)}" for line in lines)
        return render(context.language, "experiences", items=items)

    def count(self, context: PromptContext) -> int:
        """How many lines."""
        return len(self._lines(context))

    def _lines(self, context: PromptContext) -> list[str]:
        return [line for line in context.experiences if line.strip()]
