"""The commands of the rehearsal model."""

from typing import Any

import pytest

from agent.clients.rehearsal_commands import Command, parse_line, parse_message


@pytest.mark.parametrize(
    ("line", "tool", "arguments"),
    [
        ("read a.py", "read_file", [{"path": "a.py"}]),
        (
            "READ a.py 'b c.py' `d.py`",
            "read_file",
            [{"path": p} for p in ("a.py", "b c.py", "d.py")],
        ),
        ("read it's.txt x", "read_file", [{"path": "it's.txt"}, {"path": "x"}]),
        ("读取 a.py", "read_file", [{"path": "a.py"}]),
        ("list **/*.py", "glob_search", [{"pattern": "**/*.py"}]),
        ("列出", "glob_search", [{"pattern": "*"}]),
        ("search def main", "grep_search", [{"pattern": "def main"}]),
        ("搜索：上下文", "grep_search", [{"pattern": "上下文"}]),
        ("open https://example.org/a:b", "open_web_page", [{"url": "https://example.org/a:b"}]),
        ("run git log -1", "shell_session", [{"command": "git log -1"}]),
        ("write a.md: x: y", "write_file", [{"path": "a.md", "content": "x: y"}]),
        ("写入 a.md：你好", "write_file", [{"path": "a.md", "content": "你好"}]),
        ("remember: I like tea", "save_memory", [{"content": "I like tea"}]),
        ("记住 我喜欢茶", "save_memory", [{"content": "我喜欢茶"}]),
        ("compact", "compact_*", [{}]),
        ("整理上下文", "compact_*", [{}]),
        ("compact " + "x" * 300, "compact_*", [{"reason": "x" * 200}]),
        ("tour", "glob_search", [{"pattern": "**/*"}]),
        ("  - please tour docs/*  ", "glob_search", [{"pattern": "docs/*"}]),
        ("2. 请通读 docs/*", "glob_search", [{"pattern": "docs/*"}]),
    ],
)
def test_a_command_becomes_calls(line: str, tool: str, arguments: list[dict[str, Any]]) -> None:
    command = parse_line(line)
    assert command is not None
    assert (command.tools[0], command.arguments()) == (tool, arguments)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "read",
        "reading is fun",
        "write a poem",
        "write a.md:",
        "tourist",
        "读书吗",
        "run  ",
    ],
)
def test_other_lines_are_no_commands(line: str) -> None:
    assert parse_line(line) is None


def test_a_command_reads_as_it_is_written() -> None:
    for line in ("read a b", "write a.md: x", "compact", "tour **/*"):
        assert str(parse_line(line)) == line


def test_a_message_holds_commands_and_other_lines() -> None:
    commands, others = parse_message("Hello!\n\nread a\r\n  thanks \ntour")
    assert commands == [Command("read", "a"), Command("tour", "**/*")]
    assert others == ["Hello!", "thanks"]
