"""All that the sections of the system prompt need, as frozen data fixed for one run."""

import datetime
from dataclasses import dataclass

from agent.prompt.templates import LANGUAGES

CHANNELS = ("web", "embed", "wechat")
WORKSPACE_KINDS = ("LOCAL", "CLOUD")
MEMORY_SCOPES = ("USER", "PROJECT")


def _require(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} {value!r} is not known; allowed: {', '.join(allowed)}")


@dataclass(frozen=True, slots=True)
class MemoryHint:
    """One memory to inject; `id` is its row, `scope` USER or PROJECT, key "" for USER."""

    id: int
    scope: str
    project_key: str
    content: str

    def __post_init__(self) -> None:
        _require("memory scope", self.scope, MEMORY_SCOPES)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill; `path` is its SKILL.md relative to the workspace, "" when it is not there."""

    name: str
    description: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class WorkspaceFacts:
    """What the prompt says of a workspace; made by `agent.prompt.workspace.read_workspace`.

    `agents_md` is the text of AGENTS.md, "" without one; `agents_md_cut` says that it is only the
    file's head.
    """

    path: str
    platform: str
    is_git: bool = False
    agents_md: str = ""
    agents_md_cut: bool = False
    skills: tuple[Skill, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What one run's prompt is made of. `date` is today in the session's time zone.

    `persona` and `experiences` come from the agent profile. Raises ValueError for a language,
    channel or workspace kind that is not known.
    """

    language: str
    channel: str
    workspace_kind: str
    date: datetime.date
    workspace: WorkspaceFacts
    persona: str = ""
    experiences: tuple[str, ...] = ()
    memories: tuple[MemoryHint, ...] = ()
    tool_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require("language", self.language, LANGUAGES)
        _require("channel", self.channel, CHANNELS)
        _require("workspace kind", self.workspace_kind, WORKSPACE_KINDS)
