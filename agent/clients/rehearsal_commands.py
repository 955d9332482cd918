"""The plain commands that the rehearsal model follows: one a line, English or Chinese verb."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

VERBS = {
    "read": ("read", "读取", "阅读", "读"),
    "list": ("list", "列出"),
    "search": ("search", "搜索", "查找"),
    "open": ("open", "打开"),
    "run": ("run", "运行", "执行"),
    "write": ("write", "写入", "写"),
    "remember": ("remember", "记住"),
    "compact": ("compact", "整理上下文", "压缩上下文", "整理", "压缩"),
    "tour": ("tour", "通读", "浏览"),
}
TOOLS = {
    "read": ("read_file",),
    "list": ("glob_search",),
    "search": ("grep_search",),
    "open": ("open_web_page",),
    "run": ("shell_session",),
    "write": ("write_file",),
    "remember": ("save_memory",),
    "compact": ("compact_*",),  # found among what is offered, as a model would
    "tour": ("glob_search", "read_file"),
}
DEFAULTS = {"list": "*", "tour": "**/*", "compact": ""}
REASON_CHARS = 200

_VERB_OF = {word: verb for verb, words in VERBS.items() for word in words}
_LINE = re.compile(
    r"\s*(?:[-*]\s+|\d+[.)]\s+)?(?:please\s+|请\s*)?"
    rf"(?P<verb>{'|'.join(sorted(_VERB_OF, key=len, reverse=True))})"
    r"(?:(?:\s*[:：]|\s)\s*(?P<rest>.*?))?\s*",
    re.IGNORECASE,
)
_PATH_AND_TEXT = re.compile(r"(?P<path>.+?)\s*[:：]\s*(?P<text>.+)")
_PATH_CHARACTERS = "`'\""

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """An English verb of `VERBS` and the rest of its line, a default where it had none."""

    verb: str
    rest: str

    def __str__(self) -> str:
        return f"{self.verb} {self.rest}".strip()

    @property
    def tools(self) -> tuple[str, ...]:
        """Names (or patterns of names) of the tools that it needs."""
        return TOOLS[self.verb]

    def arguments(self) -> list[Arguments]:
        """Arguments of its calls, which are made side by side, to the first of `tools`."""
        return _ARGUMENTS[self.verb](self.rest)


def parse_line(line: str) -> Command | None:
    """The command on this line, None when it holds none (or misses what the verb needs)."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    verb = _VERB_OF[match["verb"].lower()]
    rest = match["rest"] or DEFAULTS.get(verb)
    if rest is None or (verb == "write" and not _PATH_AND_TEXT.fullmatch(rest)):
        return None
    return Command(verb, rest)


def parse_message(text: str) -> tuple[list[Command], list[str]]:
    """The commands of a message in order, and its other lines that are not blank."""
    commands, others = [], []
    for line in text.splitlines():
        if command := parse_line(line):
            commands.append(command)
        elif line.strip():
            others.append(line.strip())
    return commands, others


def _paths(rest: str) -> list[Arguments]:
    try:
        words = shlex.split(rest)
    except ValueError:  # an apostrophe in a name
        words = rest.split()
    return [{"path": word.strip(_PATH_CHARACTERS)} for word in words]


def _path_and_text(rest: str) -> list[Arguments]:
    match = _PATH_AND_TEXT.fullmatch(rest)
    assert match is not None  # parse_line has looked
    return [{"path": match["path"].strip(_PATH_CHARACTERS), "content": match["text"]}]


def _one(name: str) -> Callable[[str], list[Arguments]]:
    return lambda rest: [{name: rest}]


def _reason(rest: str) -> list[Arguments]:
    return [{"reason": rest[:REASON_CHARS]}] if rest else [{}]


_ARGUMENTS: Mapping[str, Callable[[str], list[Arguments]]] = {
    "read": _paths,
    "list": _one("pattern"),
    "search": _one("pattern"),
    "open": _one("url"),
    "run": _one("command"),
    "write": _path_and_text,
    "remember": _one("content"),
    "compact": _reason,
    "tour": _one("pattern"),
}
