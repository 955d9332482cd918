import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.tools.glob_pattern import GlobPattern


def matches(pattern: str, path: str) -> bool:
    return GlobPattern(pattern).matches(path.split("/"))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", ".py"], ["a/b.py", "a.pyc"]),
        ("**/*.py", ["a.py", "a/b.py", "a/b/c.py"], ["a.txt"]),
        ("agent/**/*.py", ["agent/a.py", "agent/b/c/a.py"], ["agent.py", "b/agent/a.py"]),
        ("agent/**", ["agent/a", "agent/b/c"], ["agent", "b"]),
        ("**", ["a", "a/b"], []),
        ("**/a/**/b", ["a/b", "x/a/y/z/b"], ["a", "b", "b/a"]),
        ("a/*/c", ["a/b/c"], ["a/c", "a/b/b/c"]),
        ("a?c", ["abc"], ["ac", "a/c"]),
        ("[ab].[!c]", ["a.x", "b.d"], ["c.x", "a.c"]),
        ("[^a]", ["b"], ["a"]),
        ("*.{js,ts}", ["a.js", "a.ts"], ["a.{js,ts}", "a.css"]),
        ("{a,b/{c,d}}/x", ["a/x", "b/c/x", "b/d/x"], ["b/x"]),
        ("{a}", ["{a}"], ["a"]),
        (r"\*\[x\?", ["*[x?"], ["a[xb"]),
        ("./a//b/", ["a/b"], ["a"]),
        ("a*b*c", ["abc", "a1b2c"], ["acb"]),
        ("**.py", ["a.py"], ["b/a.py"]),
        ("%2e%2e", ["%2e%2e"], [".."]),
    ],
)
def test_it_matches_as_a_glob_does(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [matches(pattern, path) for path in yes] == [True] * len(yes)
    assert [matches(pattern, path) for path in no] == [False] * len(no)


@pytest.mark.parametrize(
    ("pattern", "base", "deepest"),
    [
        ("*.py", (), 1),
        ("a/b/*.py", ("a", "b"), 3),
        ("a/b.py", ("a",), 2),
        ("a/**/b", ("a",), None),
        ("{a/b,a/c}/d", ("a",), 3),
        ("{a,b}/c", (), 2),
        ("a/{b/c,b/d/e}", ("a", "b"), 4),
        (r"\*/a", (), 2),
    ],
)
def test_it_tells_where_matches_can_lie(
    pattern: str, base: tuple[str, ...], deepest: int | None
) -> None:
    glob = GlobPattern(pattern)
    assert (glob.base, glob.deepest) == (base, deepest)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("/", "names no file"),
        (".", "names no file"),
        ("{a,}", "names no file"),
        ("../*", "holds a .. step"),
        ("a/../b", "holds a .. step"),
        ("a" * 1_001, "has 1,001 characters; allowed are 1,000"),
        ("{a,b}" * 10, "over 64 alternatives"),
    ],
)
def test_a_pattern_that_is_none_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        GlobPattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 100 + "b", "a" * 255),
        ("**/a/" * 100 + "b", "a/" * 2_000 + "c"),
        ("?*" * 120, "a" * 255),
        ("[ab]*" * 100 + "c", "a" * 255),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    started = time.thread_time()
    assert matches(pattern, path) is pattern.startswith("?")
    assert time.thread_time() - started < 0.5


def plainly(pattern: list[str], names: list[str]) -> bool:
    """Matching by the definition, without any cleverness."""

    @cache
    def segment(glob: str, name: str) -> bool:
        if not glob:
            return not name
        if glob[0] == "*":
            return segment(glob[1:], name) or (name != "" and segment(glob, name[1:]))
        return name != "" and glob[0] in (name[0], "?") and segment(glob[1:], name[1:])

    if not pattern:
        return not names
    if pattern == ["**"]:
        return bool(names)
    if pattern[0] == "**":
        return plainly(pattern[1:], names) or (bool(names) and plainly(pattern, names[1:]))
    return bool(names) and segment(pattern[0], names[0]) and plainly(pattern[1:], names[1:])


SEGMENT = st.text(st.sampled_from("ab*?"), min_size=1, max_size=4)
NAME = st.text(st.sampled_from("ab"), min_size=1, max_size=4)


@given(st.lists(SEGMENT | st.just("**"), min_size=1, max_size=5), st.lists(NAME, max_size=5))
def test_it_agrees_with_the_definition(pattern: list[str], names: list[str]) -> None:
    pattern = [segment if segment == "**" else segment.replace("**", "*") for segment in pattern]
    assert GlobPattern("/".join(pattern)).matches(names) is plainly(pattern, names)
