"""The tool that reads a text file of the workspace."""

import os
import threading
from collections.abc import Callable

from pydantic import Field

from agent.errors import ToolError
from agent.protocols import ToolOutcome
from agent.text import counted
from agent.tools.base import ToolArguments, WorkspaceTool
from agent.tools.decoding import decode, is_binary
from agent.tools.paths import shown
from agent.tools.truncation import cut

MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_CHARS = 50_000


class ReadFileArguments(ToolArguments):
    """What to read."""

    path: str = Field(description="The file, relative to the workspace.")
    offset: int = Field(1, ge=1, description="First line to return; the file's first line is 1.")
    limit: int | None = Field(None, ge=1, description="How many lines to return; default: all.")
    column: int = Field(
        1,
        ge=1,
        description="First character of that line to return, from 1; only to go on within a line "
        "that was too long.",
    )


class ReadFile(WorkspaceTool[ReadFileArguments]):
    """Lines of a text file."""

    name = "read_file"
    description = (
        "Read a text file of the workspace. Returns path, offset (the 1-based number of the first "
        "line returned), total_lines and content. At most 50,000 characters come back; what is cut "
        'has "truncated": true, and "resume" says with which offset to go on. Binary files and '
        "files over 20 MiB are refused."
    )
    Arguments = ReadFileArguments

    def work(
        self,
        arguments: ReadFileArguments,
        cancelled: threading.Event,  # noqa: ARG002 - reading 20 MiB ends by itself
    ) -> ToolOutcome:
        """Read, decode, pick the lines. Raises `ToolError`."""
        path = self.workspace.relative(arguments.path)
        text = decode(self._bytes(path))
        if is_binary(text):
            raise ToolError(f"path {shown(path)} is a binary file; read_file reads text only")
        total_lines = text.count("\n") + (not text.endswith("\n") and text != "")
        content = _selection(text, arguments, total_lines)
        data = {
            "path": path,
            "offset": arguments.offset,
            "total_lines": total_lines,
            "content": content,
        }
        outcome = ToolOutcome(data, "content", resume=_resume(arguments, content))
        return cut(outcome, MAX_CHARS)

    def _bytes(self, path: str) -> bytes:
        with self.workspace.open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size <= MAX_FILE_BYTES:
                raw = file.read(MAX_FILE_BYTES + 1)  # it may grow while we read
                if len(raw) <= MAX_FILE_BYTES:
                    return raw
        raise ToolError(
            f"path {shown(path)} has {max(size, MAX_FILE_BYTES + 1):,} bytes; "
            f"read_file reads files up to {MAX_FILE_BYTES:,}"
        )


def _selection(text: str, arguments: ReadFileArguments, total_lines: int) -> str:
    """The lines asked for, line ends included."""
    if arguments.offset > max(total_lines, 1):
        raise ToolError(
            f'argument "offset" is {arguments.offset}: the file has {counted(total_lines, "line")}'
        )
    start = _line_start(text, 0, arguments.offset - 1)
    end = len(text) if arguments.limit is None else _line_start(text, start, arguments.limit)
    line_end = _line_start(text, start, 1)
    if arguments.column - 1 > line_end - start:
        raise ToolError(
            f'argument "column" is {arguments.column}: line {arguments.offset} has '
            f"{counted(line_end - start, 'character')}"
        )
    return text[start + arguments.column - 1 : end]


def _line_start(text: str, start: int, lines: int) -> int:
    """The position `lines` lines after `start`, at most the end. Only a line feed ends a line."""
    for _ in range(lines):
        found = text.find("\n", start)
        if found < 0:
            return len(text)
        start = found + 1
    return start


def _resume(arguments: ReadFileArguments, content: str) -> Callable[[int], str]:
    """How to go on after the first n characters of `content`."""

    def hint(kept: int) -> str:
        lines = content.count("\n", 0, kept)
        offset = arguments.offset + lines
        if lines == 0:
            column = arguments.column + kept
            return f'read_file with the same path, "offset": {offset} and "column": {column}'
        if content[kept - 1] == "\n":
            return f'read_file with the same path and "offset": {offset}'
        return (
            f'read_file with the same path and "offset": {offset} (line {offset}, the last one '
            "here, is cut and comes again as a whole)"
        )

    return hint
