"""How to keep the task list, where there is one."""

from agent.prompt.context import PromptContext
from agent.prompt.templates import render

TOOL = "task_list"


class TaskManagement:
    """There when the tool `task_list` is offered."""

    key = "task_mgmt"

    def render(self, context: PromptContext) -> str | None:
        """The advice; None without the tool."""
        return render(context.language, "task_mgmt") if TOOL in context.tool_names else None

    def count(self, context: PromptContext) -> None:
        """Nothing to count."""
