"""The workspace's AGENTS.md, its first 200 lines, as a fenced block."""

from agent.prompt.context import PromptContext
from agent.prompt.quoting import fenced_data, plain_newlines
from agent.prompt.templates import render

LINE_LIMIT = 200


class WorkspaceRules:
    """Everywhere but on an embedded page, where AGENTS.md isn't blank."""

    key = "workspace_rules"

    def render(self, context: PromptContext) -> str | None:
        """The block, and after it a line that says so when it was cut; None without rules."""
        text = plain_newlines(context.workspace.agents_md)
        if context.channel == "embed" or not text.strip():
            return None
        lines = text.rstrip().split("\n")
        shown = lines[:LINE_LIMIT]
        rules = fenced_data("\n".join(shown), "markdown")
        if len(lines) > LINE_LIMIT or context.workspace.agents_md_cut:
            cut = render(context.language, "workspace_rules_cut", lines=str(len(shown)))
            rules = f"{rules}\n\n{cut}"
        return render(context.language, "workspace_rules", rules=rules)

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
