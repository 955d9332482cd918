"""What grep_search needs of an engine, and the plain one that is always there."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from agent.tools.deadline import Deadline
from agent.tools.decoding import decode, is_binary

MAX_FILE_BYTES = 20 * 1024 * 1024  # bigger files are not searched
MAX_LINE_CHARS = 500  # of a matching line; longer ones are shortened visibly


@dataclass(frozen=True, slots=True)
class Match:
    """A matching line: the index of its file in the search, its number from 1, its text."""

    file: int
    line: int
    text: str


class SearchEngine(Protocol):
    """Finds lines in open files."""

    @property
    def note(self) -> str:
        """What a reader of the results must know of this engine; empty for nothing."""
        ...

    def search(
        self, pattern: str, files: Sequence[BinaryIO], deadline: Deadline, *, ignore_case: bool
    ) -> Generator[Match, None, None]:
        """Matches in the order of the files, then lines; ends early at the deadline.

        Binary files have none. Raises `ToolError` for a pattern that is none.
        """
        ...


class LiteralSearch:
    """Searches the text of the pattern itself, where ripgrep is not installed.

    Python's `re` is no substitute: a model's pattern could keep it busy for hours.
    """

    note = "ripgrep is not installed: the pattern was searched as plain text, not as an expression"

    def search(
        self, pattern: str, files: Sequence[BinaryIO], deadline: Deadline, *, ignore_case: bool
    ) -> Generator[Match, None, None]:
        """Lines that contain the pattern's text."""
        wanted = pattern.casefold() if ignore_case else pattern
        for index, file in enumerate(files):
            if deadline.reason:
                return
            text = decode(file.read(MAX_FILE_BYTES))  # it may have grown
            if is_binary(text):
                continue
            for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
                if wanted in (line.casefold() if ignore_case else line):
                    yield Match(index, number, _shortened(line))


def _shortened(line: str) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    return f"{line[:MAX_LINE_CHARS]} [... {len(line) - MAX_LINE_CHARS:,} more characters]"
