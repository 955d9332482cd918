import time

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools.gitignore import MAX_RULES, IgnoreRules


def ignored(rules: IgnoreRules, path: str) -> bool:
    """Whether git would leave out this file: by itself, or because it leaves out a folder above."""
    names = path.split("/")
    above = (rules.verdict(names[:count], is_folder=True) for count in range(1, len(names)))
    return any(above) or rules.verdict(names, is_folder=False) is True


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("*.pyc", ["a.pyc", "a/b.pyc"], ["a.py"]),
        ("/a", ["a", "a/b"], ["b/a"]),
        ("a/", ["a/x", "b/a/x"], ["a", "b/a"]),
        ("a/b", ["a/b", "a/b/c"], ["x/a/b"]),
        ("**/b", ["b", "a/b"], ["ab"]),
        ("a/**", ["a/b", "a/b/c"], ["a"]),
        ("a/**/b", ["a/b", "a/x/y/b"], ["a"]),
        ("*\n!keep", ["a"], ["keep"]),
        ("a/\n!a/b", ["a/b"], []),
        ("!a\na", ["a"], []),
        ("# a\n\\#b\n\\!c", ["#b", "!c"], ["# a", "a", "c"]),
        ("a \nb\\ \nc\r\n", ["a", "b ", "c"], ["a ", "b"]),
        ("/\n\n  \n//", [], ["a"]),
        ("{a,b}", ["{a,b}"], ["a"]),
    ],
)
def test_it_reads_the_rules_as_git_does(text: str, yes: list[str], no: list[str]) -> None:
    rules = IgnoreRules(text)
    assert [path for path in yes + no if ignored(rules, path)] == yes


def test_a_keeping_rule_is_a_verdict_of_its_own() -> None:
    rules = IgnoreRules("!a\nb")
    verdicts = [rules.verdict([name], is_folder=False) for name in "abc"]
    assert verdicts == [False, True, None]


def test_rules_beyond_the_limits_are_not_read() -> None:
    rules = IgnoreRules("\n".join(["x" * 501, *["a"] * (MAX_RULES - 1), "b"]))
    assert [ignored(rules, path) for path in ("a", "b", "x" * 501)] == [True, False, False]


def test_planted_rules_take_no_time() -> None:
    rules = IgnoreRules("*a*a*a*a*a*a*a*b\n**/a/**/a/**/a/**/b\n")
    started = time.thread_time()
    assert not ignored(rules, "/".join(["a" * 250] * 15))
    assert time.thread_time() - started < 0.5


SEGMENT = st.sampled_from(["a", "b", "*", "a*", "*b", "?", "[ab]", "[!a]", "ab", "*a*"])
RULE = st.builds(
    lambda start, segments, end: start + "/".join(segments) + end,
    st.sampled_from(["", "/", "**/"]),
    st.lists(SEGMENT, min_size=1, max_size=3),
    st.sampled_from(["", "/", "/**"]),
)
PATH = st.lists(st.sampled_from(["a", "b", "ab", "ba", "c"]), min_size=1, max_size=4)


@given(st.lists(RULE, min_size=1, max_size=4), PATH.map("/".join))
def test_it_agrees_with_pathspec(rules: list[str], path: str) -> None:
    expected = pathspec.GitIgnoreSpec.from_lines(rules).match_file(path)
    assert ignored(IgnoreRules("\n".join(rules)), path) is expected
