"""Who the agent is: the profile's own text. It is the operator's, so it stands as it is."""

from agent.prompt.context import PromptContext
from agent.text import clean


class Persona:
    """The agent profile's text, without a heading."""

    key = "persona"

    def render(self, context: PromptContext) -> str:
        """The text, trimmed."""
        return clean(context.persona).strip()

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
