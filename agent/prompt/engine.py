"""Builds the system prompt: sections in their order, each with its own trailing blank line."""

from collections.abc import Sequence
from typing import Protocol

from agent.manifest import PromptPart
from agent.prompt.context import PromptContext
from agent.prompt.labels import SECTION_KEYS, labels
from agent.prompt.sections.current_date import CurrentDate
from agent.prompt.sections.embed import Embed
from agent.prompt.sections.environment import Environment
from agent.prompt.sections.experiences import Experiences
from agent.prompt.sections.persona import Persona
from agent.prompt.sections.skills import Skills
from agent.prompt.sections.task_mgmt import TaskManagement
from agent.prompt.sections.tools_usage import ToolsUsage
from agent.prompt.sections.workspace_rules import WorkspaceRules


class Section(Protocol):
    """One section of the system prompt."""

    @property
    def key(self) -> str:
        """One of `SECTION_KEYS`; stable, part of the manifest."""
        ...

    def render(self, context: PromptContext) -> str | None:
        """Its text with its heading; None or blank when it has no place in this prompt."""
        ...

    def count(self, context: PromptContext) -> int | None:
        """How many items the text holds; None where that means nothing."""
        ...


class PromptEngine:
    """The one builder of system prompts."""

    def __init__(self, sections: Sequence[Section]) -> None:
        keys = [section.key for section in sections]
        if keys != [key for key in SECTION_KEYS if key in keys]:
            raise ValueError(
                f"prompt sections {keys} are not in order; allowed, each once: {list(SECTION_KEYS)}"
            )
        self._sections = tuple(sections)

    def parts(self, context: PromptContext) -> tuple[PromptPart, ...]:
        """The sections that are not empty; their texts joined with "" are the system prompt."""
        names = labels(context.language)
        parts = []
        for section in self._sections:
            text = (section.render(context) or "").strip("\n")
            if text.strip():
                count = section.count(context)
                parts.append(PromptPart(section.key, names[section.key], f"{text}\n\n", count))
        return tuple(parts)


def default_sections(memories: Section) -> tuple[Section, ...]:
    """All sections in order; the caller brings the one for memories, which lives upstairs."""
    return (
        Persona(),
        Experiences(),
        memories,
        Environment(),
        CurrentDate(),
        ToolsUsage(),
        Skills(),
        TaskManagement(),
        Embed(),
        WorkspaceRules(),
    )
