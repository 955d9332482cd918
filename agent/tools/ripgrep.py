"""ripgrep as a search engine: a process that gets open files, never names.

So it can neither leave the workspace nor follow a link, nor read a configuration planted there.
"""

import os
import resource
import selectors
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from agent.errors import ToolError
from agent.tools.deadline import Deadline
from agent.tools.search_engine import MAX_LINE_CHARS, Match

POLL_S = 0.1  # how often a silent process is checked against the deadline
MEMORY_BYTES = 1 << 30
CHUNK_BYTES = 65_536
ERROR_CHARS = 500
PATTERN_REFUSED = (
    2  # ripgrep's exit status for an error; other errors than the pattern's are silenced
)
OPTIONS = (
    "--no-config",
    "--color=never",
    "--no-heading",
    "--no-messages",
    "--no-mmap",
    "--with-filename",
    "--line-number",
    "--null",
    "--crlf",
    "--threads=1",
    "--engine=default",
    "--regex-size-limit=10M",
    "--dfa-size-limit=10M",
    f"--max-columns={MAX_LINE_CHARS}",
    "--max-columns-preview",
)


def find_ripgrep() -> str | None:
    """The program's path: on PATH, or beside this interpreter where the package installs it."""
    beside = Path(sys.executable).parent
    return shutil.which("rg") or shutil.which("rg", path=str(beside))


class Ripgrep:
    """Regular expressions in Rust's syntax, in linear time."""

    note = ""

    def __init__(self, program: str) -> None:
        self._program = program

    def search(
        self, pattern: str, files: Sequence[BinaryIO], deadline: Deadline, *, ignore_case: bool
    ) -> Generator[Match, None, None]:
        """Matching lines; raises `ToolError` with ripgrep's own words for a bad pattern."""
        numbers = [file.fileno() for file in files]
        names = [f"/dev/fd/{number}" for number in numbers]
        index = {os.fsencode(name): position for position, name in enumerate(names)}
        case = ["--ignore-case"] if ignore_case else []
        command = [self._program, *OPTIONS, *case, "--", pattern, *names]
        messages: list[str] = []
        with _started(command, numbers) as process:
            try:
                for line in _lines(process, deadline):
                    name, separator, rest = line.partition(b"\0")
                    if separator:
                        number, _, text = rest.partition(b":")
                        yield Match(index[name], int(number), text.decode("utf-8", "replace"))
                    else:
                        messages.append(line.decode("utf-8", "replace"))
                refused = not deadline.reason and process.wait() == PATTERN_REFUSED
            finally:
                process.kill()
        if refused and messages and messages[0].startswith("rg: "):
            raise ToolError("\n".join(messages).removeprefix("rg: ")[:ERROR_CHARS])


def _started(command: Sequence[str], descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    """The process, without environment, limited in memory; its messages come amid its output."""
    process = subprocess.Popen(  # noqa: S603 - no shell; the pattern stands after "--"
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=descriptors,
        env={},
        cwd="/",
    )
    with suppress(ProcessLookupError):  # it may have ended already
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    return process


def _lines(process: subprocess.Popen[bytes], deadline: Deadline) -> Iterator[bytes]:
    """The lines that the process prints, until it ends or the deadline is over."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while not deadline.reason:
            if not selector.select(POLL_S):
                continue
            chunk = os.read(pipe, CHUNK_BYTES)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            yield from (line.removesuffix(b"\r") for line in lines)
