"""Where the agent works: workspace, git, platform, kind of workspace and channel."""

from agent.prompt.context import PromptContext
from agent.prompt.quoting import bare_line, quoted
from agent.prompt.templates import render

_GIT = {"en": ("no", "yes"), "zh-hans": ("否", "是")}


class Environment:
    """Always there; `embed` has its own wording, `wechat` a line about its limits."""

    key = "environment"

    def render(self, context: PromptContext) -> str:
        """The facts, and what follows from them for the work."""
        language, workspace = context.language, context.workspace
        text = "environment_embed" if context.channel == "embed" else "environment"
        notes = [render(language, f"workspace_{context.workspace_kind.lower()}")]
        if context.channel == "wechat":
            notes.append(render(language, "channel_wechat"))
        return render(
            language,
            text,
            workspace=quoted(workspace.path),
            git=_GIT[language][workspace.is_git],
            platform=bare_line(workspace.platform),
            notes="\n".join(notes),
        )

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
