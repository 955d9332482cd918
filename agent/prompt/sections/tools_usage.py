"""General rules for calling tools."""

from agent.prompt.context import PromptContext
from agent.prompt.templates import render


class ToolsUsage:
    """Everywhere but on an embedded page."""

    key = "tools_usage"

    def render(self, context: PromptContext) -> str | None:
        """The rules; None on `embed`."""
        return None if context.channel == "embed" else render(context.language, "tools_usage")

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
