"""Glob patterns whose matching time grows with pattern x path, whatever the pattern.

Patterns come from models and from files in the workspace, so nothing here may backtrack without
bound: `fnmatch.translate` puts all but the last star of a segment into atomic groups, and `**` is
matched on whole segments with one point to go back to.
"""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from itertools import takewhile

from agent.errors import ToolError

MAX_PATTERN_CHARS = 1_000
MAX_ALTERNATIVES = 64
ANY_DEPTH = "**"

Segment = Callable[[str], object]  # truthy when a name matches; None in its place stands for `**`


class PathPattern:
    """One pattern without braces: segments of literals, `*`, `?`, `[...]`, or `**` for any depth.

    A trailing `**` means everything below. A backslash takes the next character literally.
    """

    def __init__(self, segments: Sequence[str]) -> None:
        if segments and segments[-1] == ANY_DEPTH:
            segments = [*segments, "*"]
        self._segments = tuple(
            None if segment == ANY_DEPTH else _segment(segment) for segment in segments
        )

    def matches(self, names: Sequence[str]) -> bool:
        """Whether the path made of these names matches as a whole."""
        at = back_to = rest = 0  # where we are in the segments; where a `**` lets us try again
        seen, position = False, 0
        while position < len(names):
            segment = self._segments[at] if at < len(self._segments) else _nothing
            if segment is None:
                seen, back_to, rest = True, at + 1, position
                at += 1
            elif segment(names[position]):
                at, position = at + 1, position + 1
            elif seen:
                rest += 1
                at, position = back_to, rest
            else:
                return False
        return all(segment is None for segment in self._segments[at:])


class GlobPattern:
    """A pattern as models write it, `{a,b}` alternatives included. Raises `ToolError`."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_PATTERN_CHARS:
            raise ToolError(
                f"the pattern has {len(text):,} characters; allowed are {MAX_PATTERN_CHARS:,}"
            )
        split = [_split(alternative) for alternative in _alternatives(text)]
        if not all(split):
            raise ToolError(f"pattern {text!r} names no file; write for example **/*.py")
        if any(".." in segments for segments in split):
            raise ToolError(f"pattern {text!r} holds a .. step; name the folder in `path`")
        self._patterns = [PathPattern(segments) for segments in split]
        self.base = _common_start([_literal_folders(segments) for segments in split])
        """The folders that every match lies in."""
        bounded = not any(ANY_DEPTH in segments for segments in split)
        self.deepest = max(map(len, split)) if bounded else None
        """How many names a matching path can have; None = any number."""

    def matches(self, names: Sequence[str]) -> bool:
        """Whether the path made of these names matches as a whole."""
        return any(pattern.matches(names) for pattern in self._patterns)


def _nothing(_name: str) -> bool:
    return False


def _segment(text: str) -> Segment:
    """The matcher of one segment."""
    plain = re.sub(r"\\(.)", lambda escaped: _escape(escaped[1]), text.replace("[^", "[!"))
    if not any(character in plain for character in "*?["):
        return plain.__eq__
    if set(plain) == {"*"}:
        return len
    return re.compile(translate(plain)).match


def _escape(character: str) -> str:
    return f"[{character}]" if character in "*?[" else character


def _split(text: str) -> list[str]:
    return [segment for segment in text.split("/") if segment not in {"", "."}]


def _literal_folders(segments: Sequence[str]) -> list[str]:
    """The leading folders of a pattern that hold no wildcard."""
    wild = (index for index, text in enumerate(segments) if any(mark in text for mark in "*?[\\"))
    return list(segments[: min(next(wild, len(segments)), len(segments) - 1)])


def _common_start(paths: Sequence[Sequence[str]]) -> tuple[str, ...]:
    columns = zip(*paths, strict=False)
    return tuple(column[0] for column in takewhile(lambda names: len(set(names)) == 1, columns))


def _alternatives(text: str) -> list[str]:
    """The patterns that the braces of `text` stand for."""
    done, todo = [], [text]
    while todo:
        current = todo.pop()
        innermost = re.search(r"\{([^{}]*,[^{}]*)\}", current)
        if innermost is None:
            done.append(current)
        else:
            before, after = current[: innermost.start()], current[innermost.end() :]
            todo += [f"{before}{choice}{after}" for choice in innermost[1].split(",")]
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            raise ToolError(f"the braces of the pattern make over {MAX_ALTERNATIVES} alternatives")
    return done
