"""How to answer inside another page."""

from agent.prompt.context import PromptContext
from agent.prompt.templates import render


class Embed:
    """On the channel `embed` only."""

    key = "embed"

    def render(self, context: PromptContext) -> str | None:
        """The advice; None on other channels."""
        return render(context.language, "embed") if context.channel == "embed" else None

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
