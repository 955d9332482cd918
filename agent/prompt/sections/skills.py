"""Skills found in the workspace: name, description and file of each, quoted."""

from agent.prompt.context import PromptContext, Skill
from agent.prompt.quoting import quoted
from agent.prompt.templates import render


class Skills:
    """A line for each skill; the model reads a skill's file when it fits."""

    key = "skills"

    def render(self, context: PromptContext) -> str | None:
        """The lines; None without any skill."""
        skills = context.workspace.skills
        if not skills:
            return None
        return render(context.language, "skills", items="\n".join(map(_line, skills)))

    def count(self, context: PromptContext) -> int:
        """How many skills."""
        return len(context.workspace.skills)


def _line(skill: Skill) -> str:
    place = f" ({quoted(skill.path)})" if skill.path else ""
    return f"- {quoted(skill.name)}{place}: {quoted(skill.description)}"
