"""Builders that the prompt's tests share: a context with everything in it, and its prompt."""

import dataclasses
import datetime
from typing import Any

from agent.manifest import PromptPart
from agent.prompt.context import MemoryHint, PromptContext, Skill, WorkspaceFacts
from agent.prompt.engine import PromptEngine, default_sections
from memory_app.section import MemoriesSection

ENGINE = PromptEngine(default_sections(MemoriesSection()))
FACTS = WorkspaceFacts(
    path="/srv/workspaces/demo",
    platform="Linux 6.8 (x86_64)",
    is_git=True,
    agents_md="# Rules\n\nRun the tests before you finish.\n",
    skills=(Skill("release", "How to cut a release.", ".agents/skills/release/SKILL.md"),),
)
FULL = PromptContext(
    language="en",
    channel="web",
    workspace_kind="LOCAL",
    date=datetime.date(2026, 11, 30),
    workspace=FACTS,
    persona="You are Vitrine, a careful engineer.",
    experiences=("Prefer pathlib.", "Name the file you changed."),
    memories=(
        MemoryHint(12, "USER", "", "Prefers short answers"),
        MemoryHint(34, "PROJECT", "demo", "项目用 MariaDB 10.11"),
    ),
    tool_names=("read_file", "task_list"),
)


def facts(**changes: Any) -> WorkspaceFacts:
    """FACTS with some fields changed."""
    return dataclasses.replace(FACTS, **changes)


def context(**changes: Any) -> PromptContext:
    """FULL with some fields changed."""
    return dataclasses.replace(FULL, **changes)


def parts(**changes: Any) -> dict[str, PromptPart]:
    """The sections of `context(**changes)` by key, in order."""
    return {part.key: part for part in ENGINE.parts(context(**changes))}


def prompt(**changes: Any) -> str:
    """The system prompt of `context(**changes)`."""
    return "".join(part.text for part in ENGINE.parts(context(**changes)))
