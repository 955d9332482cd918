"""What `grep_search` finds, and what it never shows."""

import os
import threading
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools.grep_search import GrepSearch
from agent.tools.paths import Workspace
from agent.tools.search_engine import LiteralSearch, SearchEngine
from tests.agent.tools.conftest import Write
from tests.agent.tools.flipping import SECRET, flip
from tests.agent.tools.searching import found, ripgrep


@pytest.fixture
def tool(workspace: Workspace, engine: SearchEngine) -> GrepSearch:
    return GrepSearch(workspace, engine)


@pytest.fixture
def regex(workspace: Workspace) -> GrepSearch:
    return GrepSearch(workspace, ripgrep())


async def test_it_returns_lines_by_path_and_number(regex: GrepSearch, write: Write) -> None:
    write("b/x.py", "no\nneedle 2\r\n")
    write("a.py", "needle\n\nneedle 3")
    outcome = await regex.run({"pattern": "needle"})
    assert outcome.data == {
        "pattern": "needle",
        "path": ".",
        "matches": 3,
        "files": 2,
        "content": "a.py:1: needle\na.py:3: needle 3\nb/x.py:2: needle 2\n",
    }


async def test_without_ripgrep_it_says_that_it_searched_plain_text(
    workspace: Workspace, write: Write
) -> None:
    write("a", "a.c\r\nabc\n")
    outcome = await GrepSearch(workspace, LiteralSearch()).run({"pattern": "a.c"})
    assert outcome.data["content"] == "a:1: a.c\n"
    assert outcome.data["note"] == (
        "ripgrep is not installed: the pattern was searched as plain text, not as an expression"
    )


async def test_nothing_found_is_an_empty_content(tool: GrepSearch, write: Write) -> None:
    write("a", "hay")
    assert await found(tool, "needle") == ""


async def test_expressions_are_understood(regex: GrepSearch, write: Write) -> None:
    write("a", "def one():\r\ndef two(x):\r\nclass T:\r\n")
    assert await found(regex, r"^def \w+\(\):$") == "a:1: def one():\n"


async def test_case_can_be_ignored(tool: GrepSearch, write: Write) -> None:
    write("a", "Needle\nneedle\n")
    assert await found(tool, "NEEDLE") == ""
    assert await found(tool, "NEEDLE", ignore_case=True) == "a:1: Needle\na:2: needle\n"


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({}, "a.md a.py s/b.py s/t/c.py"),
        ({"glob": "*.py"}, "a.py s/b.py s/t/c.py"),
        ({"glob": "s/*.py"}, "s/b.py"),
        ({"glob": "**/t/*"}, "s/t/c.py"),
        ({"path": "s"}, "s/b.py s/t/c.py"),
        ({"path": "s", "glob": "t/*.{py,md}"}, "s/t/c.py"),
        ({"path": "./s/b.py"}, "s/b.py"),
        ({"path": "s/b.py", "glob": "*.md"}, "s/b.py"),
    ],
)
async def test_it_searches_where_it_is_told(
    tool: GrepSearch, write: Write, arguments: dict[str, str], paths: str
) -> None:
    for path in ["a.md", "a.py", "s/b.py", "s/t/c.py"]:
        write(path, "x")
    assert await found(tool, "x", **arguments) == "".join(f"{p}:1: x\n" for p in paths.split())


@pytest.mark.parametrize(
    "pattern", ["--pre=touch", "-e", "--", "-f/etc/passwd", "a;b", "`id`", "'"]
)
async def test_a_pattern_is_never_an_option_or_a_command(
    tool: GrepSearch, write: Write, pattern: str
) -> None:
    write("a", f"{pattern}\n")
    assert await found(tool, pattern) == f"a:1: {pattern}\n"


@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", r"a\nb", "a\nb", r"\pL{1000}{1000}{1000}", "(?<=a)b"]
)
async def test_a_bad_expression_is_refused_with_the_reason(
    regex: GrepSearch, write: Write, pattern: str
) -> None:
    write("a", "a")
    with pytest.raises(ToolError, match=r"(?s)^(regex|the literal|compiled|.*look-around).+"):
        await regex.run({"pattern": pattern})


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"pattern": "a\x00"}, "holds a NUL character"),
        ({"pattern": ""}, "at least 1 character"),
        ({"pattern": "a" * 2_001}, "at most 2000 characters"),
        ({"pattern": "a", "path": "missing"}, "'missing' does not exist"),
        ({"pattern": "a", "path": "../x"}, "leaves the workspace"),
        ({"pattern": "a", "path": "out"}, "leaves the workspace"),
        ({"pattern": "a", "glob": "../*"}, "holds a .. step"),
    ],
)
async def test_bad_arguments_are_refused(
    tool: GrepSearch, root: Path, arguments: dict[str, str], reason: str
) -> None:
    (root / "out").symlink_to("/etc/passwd")
    with pytest.raises(ToolError, match=reason):
        await tool.run(arguments)


async def test_nothing_outside_or_hidden_is_searched(
    root: Path, write: Write, engine: SearchEngine
) -> None:
    (root.parent / "outside").mkdir()
    secret = root.parent / "outside" / "secret"
    secret.write_text("needle")
    (root / "file").symlink_to(secret)
    (root / "dir").symlink_to(secret.parent)
    os.link(secret, root / "hard")
    os.mkfifo(root / "fifo")
    for path in ["var/key", ".git/config", "ignored", "a"]:
        write(path, "needle")
    write(".gitignore", "ignored")
    tool = GrepSearch(Workspace(root, hidden=(root / "var",)), engine)
    outcome = await tool.run({"pattern": "needle"})
    assert (outcome.data["content"], outcome.data["not_searched"]) == ("a:1: needle\n", 1)


async def test_no_byte_from_outside_comes_from_a_flipping_file(
    root: Path, write: Write, engine: SearchEngine
) -> None:
    (root.parent / "outside").write_text(SECRET)
    for name in "abc":
        write(name, "SEARCHED\n")
    (root / "b").unlink()
    end = threading.Event()
    thread = threading.Thread(
        target=flip, args=(root / "b", root / "a", root.parent / "outside", end)
    )
    thread.start()
    try:
        for _ in range(30):
            content = await found(GrepSearch(Workspace(root), engine), "SE")
            assert SECRET not in content
    finally:
        end.set()
        thread.join()


async def test_binary_files_have_no_matches(tool: GrepSearch, write: Write) -> None:
    write("a", b"needle\x00needle\n")
    write("b", b"\xff needle\n")
    write("c", "needle é\n".encode("utf-16"))
    assert await found(tool, "needle") == "b:1: � needle\nc:1: needle é\n"


async def test_a_file_name_cannot_forge_a_line(tool: GrepSearch, write: Write) -> None:
    write("a\nb:1: forged", "needle")
    assert await found(tool, "needle") == "a\\x0ab:1: forged:1: needle\n"


async def test_configuration_planted_in_the_workspace_is_not_read(
    regex: GrepSearch, root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [".ripgreprc", ".ignore", ".rgignore"]:
        write(name, "a\n--files\n")
    write("a", "needle")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(root / ".ripgreprc"))
    monkeypatch.chdir(root)
    assert await found(regex, "needle") == "a:1: needle\n"
