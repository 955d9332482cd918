"""Reads from a workspace what the prompt says of it: AGENTS.md, skills, git or not."""

import errno
import logging
import os
import platform
import stat

from agent.errors import ToolError
from agent.prompt.context import Skill, WorkspaceFacts
from agent.prompt.front_matter import parse_skill
from agent.tools.decoding import decode, is_binary
from agent.tools.paths import Workspace, shown

AGENTS_FILE = "AGENTS.md"
AGENTS_BYTES = 256 * 1024
SKILLS_FOLDER = ".agents/skills"
SKILL_BYTES = 16 * 1024  # of a SKILL.md; its front matter stands at the beginning
SKILL_LIMIT = 50
ENTRY_LIMIT = 500  # entries of the skills folder that are looked at
_MISSING = {errno.ENOENT, errno.ENOTDIR}

logger = logging.getLogger(__name__)


def read_workspace(workspace: Workspace) -> WorkspaceFacts:
    """The facts of a workspace. Blocks on the disk: call it in a thread.

    What can't be read or isn't valid is logged and left out, so that it never stops a run.
    """
    agents_md, cut = _head(workspace, AGENTS_FILE, AGENTS_BYTES) or ("", False)
    return WorkspaceFacts(
        path=str(workspace.root),
        platform=f"{platform.system()} {platform.release()} ({platform.machine()})",
        is_git=_is_git(workspace),
        agents_md=agents_md,
        agents_md_cut=cut,
        skills=_skills(workspace),
    )


def _head(workspace: Workspace, path: str, limit: int) -> tuple[str, bool] | None:
    """At most `limit` bytes of a text file, and whether it is longer; None when there is none."""
    try:
        with workspace.open_file(path) as file:
            raw = file.read(limit + 1)
    except (ToolError, OSError) as error:
        _log_unless_missing(path, error)
        return None
    text = decode(raw[:limit])
    if is_binary(text):
        logger.warning("%s was left out of the prompt: it is not a text", shown(path))
        return None
    return text, len(raw) > limit


def _is_git(workspace: Workspace) -> bool:
    """Whether `.git` is there: a folder, or the file that stands for it in a worktree; no link."""
    try:
        with workspace.folder(".") as root:
            mode = os.stat(".git", dir_fd=root, follow_symlinks=False).st_mode
    except (ToolError, OSError):
        return False
    return stat.S_ISDIR(mode) or stat.S_ISREG(mode)


def _skills(workspace: Workspace) -> tuple[Skill, ...]:
    """The valid skills, by the names of their folders, at most `SKILL_LIMIT`."""
    try:
        with workspace.folder(SKILLS_FOLDER) as folder:
            names = sorted(os.listdir(folder))  # noqa: PTH208 - pathlib knows no descriptors
    except (ToolError, OSError) as error:
        _log_unless_missing(SKILLS_FOLDER, error)
        return ()
    skills: list[Skill] = []
    for at, name in enumerate(names):
        if len(skills) == SKILL_LIMIT or at == ENTRY_LIMIT:
            logger.warning("skills from %s on were left out of the prompt: too many", shown(name))
            break
        if skill := _skill(workspace, f"{SKILLS_FOLDER}/{name}/SKILL.md"):
            skills.append(skill)
    return tuple(skills)


def _skill(workspace: Workspace, path: str) -> Skill | None:
    head = _head(workspace, path, SKILL_BYTES)
    if head is None:
        return None
    try:
        return parse_skill(head[0], path)
    except ValueError as error:
        logger.warning("%s was left out of the prompt: %s", shown(path), error)
        return None


def _log_unless_missing(path: str, error: ToolError | OSError) -> None:
    cause = error.__cause__ if isinstance(error, ToolError) else error
    if not (isinstance(cause, OSError) and cause.errno in _MISSING):
        logger.warning("%s was left out of the prompt: %s", shown(path), error)
