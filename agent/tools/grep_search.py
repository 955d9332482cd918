"""The tool that finds lines in the files of the workspace."""

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO

from pydantic import Field

from agent.errors import ToolError
from agent.protocols import ToolOutcome
from agent.tools.base import ToolArguments, WorkspaceTool
from agent.tools.deadline import Deadline
from agent.tools.glob_pattern import GlobPattern
from agent.tools.paths import Workspace, readable, regular
from agent.tools.search_engine import MAX_FILE_BYTES, Match, SearchEngine
from agent.tools.truncation import cut, incomplete
from agent.tools.walk import Walk

MAX_CHARS = 10_000
MAX_KEPT_CHARS = 1_000_000  # of matching lines, kept for people; then the search stops
BATCH_FILES = 100  # open at once
TIME_LIMIT_S = 30
NARROWER = "ask for a narrower pattern, path or glob"

NamedFile = tuple[str, BinaryIO]  # path below the workspace and the open file


class GrepSearchArguments(ToolArguments):
    """What to look for and where."""

    pattern: str = Field(
        min_length=1,
        max_length=2_000,
        description="Regular expression (Rust syntax), matched within each line.",
    )
    path: str = Field(".", description="A folder or file, relative to the workspace.")
    glob: str | None = Field(
        None,
        description="Only files whose path below `path` matches, for example src/**/*.py; without "
        "a slash the name alone counts.",
    )
    ignore_case: bool = Field(
        default=False, description="Whether upper and lower case are the same."
    )


@dataclass(slots=True)
class _Findings:
    """What a search has brought so far."""

    lines: list[str] = field(default_factory=list)
    characters: int = 0
    files: set[str] = field(default_factory=set)
    not_searched: int = 0
    stopped: str = ""

    def searchable(self, path: str, file: BinaryIO) -> Iterator[NamedFile]:
        """The file, unless it is too big: then it is closed and counted."""
        if os.fstat(file.fileno()).st_size <= MAX_FILE_BYTES:
            yield path, file
        else:
            file.close()
            self.not_searched += 1

    def add(self, path: str, match: Match) -> None:
        """One more line; enough of them stop the search."""
        self.files.add(path)
        self.lines.append(f"{readable(path)}:{match.line}: {match.text}")
        self.characters += len(self.lines[-1]) + 1
        if self.characters > MAX_KEPT_CHARS:
            self.stopped = f"stopped after {MAX_KEPT_CHARS:,} characters of matches"


class GrepSearch(WorkspaceTool[GrepSearchArguments]):
    """Lines that match a regular expression."""

    name = "grep_search"
    description = (
        "Search the files of the workspace for a regular expression. Returns content (lines of the "
        "form path:line: text, sorted by path), matches and files (how many). At most 10,000 "
        'characters come back; with more, "truncated" is true: ask for a narrower pattern, path or '
        "glob. Lines over 500 characters are shortened. Left out: binary files, files over 20 MiB "
        "(counted in not_searched), .git, and what .gitignore excludes unless `path` names it."
    )
    Arguments = GrepSearchArguments

    def __init__(self, workspace: Workspace, engine: SearchEngine) -> None:
        super().__init__(workspace)
        self._engine = engine

    def work(self, arguments: GrepSearchArguments, cancelled: threading.Event) -> ToolOutcome:
        """Search batch by batch. Raises `ToolError`."""
        if "\x00" in arguments.pattern:
            raise ToolError('argument "pattern" holds a NUL character; text files have none')
        deadline = Deadline(TIME_LIMIT_S, cancelled)
        findings = _Findings()
        with closing(self._files(arguments, deadline, findings)) as files:
            while not findings.stopped:
                with ExitStack() as opened:
                    batch = [
                        (path, opened.enter_context(file))
                        for path, file in islice(files, BATCH_FILES)
                    ]
                    if not batch:
                        break
                    self._search(arguments, batch, deadline, findings)
        return self._outcome(arguments, findings)

    def _files(
        self, arguments: GrepSearchArguments, deadline: Deadline, findings: _Findings
    ) -> Generator[NamedFile, None, None]:
        """The files to search, opened one by one while the walk holds their folder."""
        path = self.workspace.relative(arguments.path)
        if not self.workspace.is_folder(path):
            yield from findings.searchable(path, self.workspace.open_file(path))
            return
        wanted = _name_filter(arguments.glob)
        walk = Walk(self.workspace, path, deadline)
        for entry in walk:
            if entry.is_link or not wanted(entry.names):
                continue
            try:
                file = regular(entry.open(), entry.path)
            except (OSError, ToolError):  # vanished, unreadable, or a hard link
                findings.not_searched += 1
            else:
                yield from findings.searchable(entry.path, file)
        findings.stopped = findings.stopped or walk.stopped

    def _search(
        self,
        arguments: GrepSearchArguments,
        batch: Sequence[NamedFile],
        deadline: Deadline,
        findings: _Findings,
    ) -> None:
        files = [file for _, file in batch]
        found = self._engine.search(
            arguments.pattern, files, deadline, ignore_case=arguments.ignore_case
        )
        with closing(found) as matches:
            for match in matches:
                findings.add(batch[match.file][0], match)
                if findings.stopped:
                    return
        findings.stopped = deadline.reason

    def _outcome(self, arguments: GrepSearchArguments, findings: _Findings) -> ToolOutcome:
        content = "".join(f"{line}\n" for line in findings.lines)
        data = {
            "pattern": arguments.pattern,
            "path": self.workspace.relative(arguments.path),
            "matches": len(findings.lines),
            "files": len(findings.files),
            "not_searched": findings.not_searched,
            "note": self._engine.note,
            "content": content,
        }
        optional = {"not_searched", "note"}
        shown = {key: value for key, value in data.items() if value or key not in optional}
        hint = f"{findings.stopped}; {NARROWER}" if findings.stopped else NARROWER
        outcome = cut(ToolOutcome(shown, "content", resume=lambda _kept: hint), MAX_CHARS)
        return incomplete(outcome, content, hint) if findings.stopped else outcome


def _name_filter(glob: str | None) -> Callable[[Sequence[str]], bool]:
    """Whether a file, given by its names below the start, is to be searched."""
    if glob is None:
        return bool
    return GlobPattern(glob if "/" in glob else f"**/{glob}").matches
