"""The tool that finds files of the workspace by their path."""

import threading

from pydantic import Field

from agent.errors import ToolError
from agent.protocols import ToolOutcome
from agent.tools.base import ToolArguments, WorkspaceTool
from agent.tools.deadline import Deadline
from agent.tools.glob_pattern import GlobPattern
from agent.tools.truncation import incomplete
from agent.tools.walk import Entry, Walk

MAX_PATHS = 100
TIME_LIMIT_S = 30


class GlobSearchArguments(ToolArguments):
    """What to look for."""

    pattern: str = Field(
        min_length=1,
        description="For example **/*.py; * and ? stay within a name, ** means any depth (none "
        "included), {a,b} either; relative to `path`.",
    )
    path: str = Field(".", description="The folder to search, relative to the workspace.")


class GlobSearch(WorkspaceTool[GlobSearchArguments]):
    """Paths of files that match a glob pattern."""

    name = "glob_search"
    description = (
        "Find files of the workspace by a glob pattern. Returns paths (relative to the workspace, "
        "sorted) and total, the number of matches. At most 100 paths come back; with more, "
        '"truncated" is true: ask for a narrower pattern or path. What .gitignore excludes is left '
        "out, unless `path` or the beginning of the pattern names the excluded folder; .git always."
    )
    Arguments = GlobSearchArguments

    def work(self, arguments: GlobSearchArguments, cancelled: threading.Event) -> ToolOutcome:
        """Walk and match. Raises `ToolError`."""
        start, pattern = self._pattern(arguments)
        folders = "/".join((start, *pattern.base))
        deepest = None if pattern.deepest is None else pattern.deepest - len(pattern.base)
        walk = Walk(self.workspace, folders, Deadline(TIME_LIMIT_S, cancelled), deepest=deepest)
        found: list[str] = []
        if not pattern.base or self.workspace.is_folder(folders):
            matching = (entry for entry in walk if pattern.matches(pattern.base + entry.names))
            found = [entry.path for entry in matching if self._is_file(entry)]
        return _outcome(arguments.pattern, found, walk.stopped)

    def _pattern(self, arguments: GlobSearchArguments) -> tuple[str, GlobPattern]:
        """Where to start and the pattern from there; absolute ones start at the workspace."""
        if arguments.pattern.startswith("/"):
            return ".", GlobPattern(self.workspace.relative(arguments.pattern))
        return self.workspace.relative(arguments.path), GlobPattern(arguments.pattern)

    def _is_file(self, entry: Entry) -> bool:
        """Whether it is a file; a link counts when it leads to one below the workspace."""
        if not entry.is_link:
            return True
        try:
            self.workspace.open_file(entry.path).close()
        except ToolError:
            return False
        return True


def _outcome(pattern: str, found: list[str], stopped: str) -> ToolOutcome:
    data = {"pattern": pattern, "paths": found[:MAX_PATHS], "total": len(found)}
    if len(found) <= MAX_PATHS and not stopped:
        return ToolOutcome(data)
    reason = f"{stopped}; " if stopped else ""
    hint = f"{reason}ask for a narrower pattern or path"
    return incomplete(ToolOutcome(data), "\n".join(found), hint)
