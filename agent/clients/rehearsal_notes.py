"""The lines of a handoff from which the rehearsal model goes on after a compaction.

Plain text for people too, in either language:

    So far: 12 tool calls, 1 failed, 2 cut.
    Pending: tour agent/*.py (11 of 13 files read)
    Left in agent: text.py, tokens.py
    Pending: search def main
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from posixpath import basename, dirname, join

from agent.clients.rehearsal_commands import Command, parse_line
from agent.clients.rehearsal_words import Words

NAMES_A_LINE = 20

_PLAIN = re.compile(r"[^\s,:：\"]([^,:：\"]*[^\s,:：\"])?")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_SO_FAR = re.compile(r"(?:So far: |至此：)\D*(\d+)\D+(\d+)\D+(\d+)")
_TOURING = re.compile(
    r"(?:Pending: |待办：)tour (?P<glob>.+?)"
    r"(?: \((?P<read>\d+) of (?P<total>\d+) files read\)"
    r"|（共 (?P<total_zh>\d+) 个文件，已读 (?P<read_zh>\d+) 个）)"
)
_PENDING = re.compile(r"(?:Pending: |待办：)(?P<command>.+)")
_LEFT = re.compile(rf"(?:Left in |剩余 )(?P<folder>{_QUOTED}|[^:：]+)(?:: |：)(?P<names>.+)")
_NAME = re.compile(rf"(?:^|, ?)({_QUOTED}|[^,]+)")


@dataclass(frozen=True, slots=True)
class Counts:
    """Tool calls made, how many of them failed and how many had their result cut."""

    calls: int = 0
    failed: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Touring:
    """A tour under way: `left` are the paths still to read, `read` of `total` are done.

    `found` is the number of files that match, more than `total` when the tour leaves some out.
    """

    glob: str
    left: tuple[str, ...]
    read: int
    total: int
    found: int = 0


@dataclass(frozen=True, slots=True)
class Notes:
    """What a handoff says of the work."""

    tasks: tuple[Command | Touring, ...] = ()
    counts: Counts = Counts()


def pending_lines(task: Command | Touring, words: Words) -> list[str]:
    """The lines for one task; each of a tour's later lines can be left out."""
    if isinstance(task, Command):
        return [f"{words['pending']}{task}"]
    state = words["tour_state"].format(number=task.read, total=task.total)
    lines = [f"{words['pending']}tour {task.glob}{state}"]
    for folder, paths in groupby(task.left, dirname):
        names = [_shown(basename(path)) for path in paths]
        head = words["left"].format(folder=_shown(folder or "."))
        for at in range(0, len(names), NAMES_A_LINE):
            lines.append(head + ", ".join(names[at : at + NAMES_A_LINE]))
    return lines


def read_notes(text: str) -> Notes:
    """Tasks and counts in this text; lines that are none of ours are passed over."""
    tasks: list[Command | Touring] = []
    counts = Counts()
    for line in text.splitlines():
        if match := _SO_FAR.match(line):
            counts = Counts(*map(int, match.groups()))
        elif (match := _LEFT.fullmatch(line)) and tasks and isinstance(tasks[-1], Touring):
            tasks[-1] = replace(tasks[-1], left=(*tasks[-1].left, *_paths(match)))
        elif task := _task(line):
            tasks.append(task)
    return Notes(tuple(t for t in tasks if isinstance(t, Command) or t.left), counts)


def _task(line: str) -> Command | Touring | None:
    if match := _TOURING.fullmatch(line):
        read, total = match["read"] or match["read_zh"], match["total"] or match["total_zh"]
        return Touring(match["glob"], (), int(read), int(total))
    match = _PENDING.fullmatch(line)
    return parse_line(match["command"]) if match else None


def _paths(match: re.Match[str]) -> Iterator[str]:
    folder = _meant(match["folder"])
    for name in _NAME.findall(match["names"]):
        yield join("" if folder == "." else folder, _meant(name.strip()))


def _shown(name: str) -> str:
    """The name as it is, quoted where it would break the line's grammar."""
    printable = name.isprintable()
    plain = printable and _PLAIN.fullmatch(name)
    return name if plain else json.dumps(name, ensure_ascii=not printable)


def _meant(shown: str) -> str:
    if not shown.startswith('"'):
        return shown
    try:
        return str(json.loads(shown))
    except ValueError:  # a text that only looks like ours
        return shown
