import asyncio
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from agent.errors import ToolError
from agent.tools import grep_search
from agent.tools.grep_search import MAX_CHARS, GrepSearch
from agent.tools.paths import Workspace
from agent.tools.ripgrep import Ripgrep, find_ripgrep
from agent.tools.search_engine import LiteralSearch, SearchEngine
from tests.agent.tools.conftest import Write
from tests.agent.tools.flipping import SECRET, flip


def ripgrep() -> Ripgrep:
    program = find_ripgrep()
    assert program is not None
    return Ripgrep(program)


@pytest.fixture(params=["ripgrep", "literal"])
def engine(request: pytest.FixtureRequest) -> SearchEngine:
    return ripgrep() if request.param == "ripgrep" else LiteralSearch()


@pytest.fixture
def tool(workspace: Workspace, engine: SearchEngine) -> GrepSearch:
    return GrepSearch(workspace, engine)


@pytest.fixture
def regex(workspace: Workspace) -> GrepSearch:
    return GrepSearch(workspace, ripgrep())


async def found(tool: GrepSearch, pattern: str, **arguments: Any) -> str:
    outcome = await tool.run({"pattern": pattern, **arguments})
    assert outcome.data["matches"] == outcome.data["content"].count("\n")
    return str(outcome.data["content"])


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


async def test_files_over_the_limit_are_counted_instead(tool: GrepSearch, write: Write) -> None:
    with write("a").open("wb") as file:
        file.truncate(1 << 40)
    write("b", "needle")
    outcome = await tool.run({"pattern": "needle"})
    assert (outcome.data["content"], outcome.data["not_searched"]) == ("b:1: needle\n", 1)
    assert (await tool.run({"pattern": "x", "path": "a"})).data["not_searched"] == 1


async def test_a_long_line_is_shortened_visibly(tool: GrepSearch, write: Write) -> None:
    write("a", "needle" + "x" * 100_000)
    content = await found(tool, "needle")
    assert content.startswith("a:1: needlexxx")
    assert content.endswith(("[... omitted end of long line]\n", "[... 99,506 more characters]\n"))
    assert len(content) < 600


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


@pytest.mark.parametrize(("size", "truncated"), [(MAX_CHARS, None), (MAX_CHARS + 1, True)])
async def test_exactly_the_limit_is_not_cut(
    tool: GrepSearch, write: Write, size: int, truncated: bool | None
) -> None:
    lines = ["a" * 480] * 20
    expected = "".join(f"x:{number}: {line}\n" for number, line in enumerate(lines, start=1))
    last = "a" * (size - len(expected) - len("x:21: \n"))
    expected += f"x:21: {last}\n"
    write("x", "\n".join([*lines, last]))
    outcome = await tool.run({"pattern": "a"})
    assert (len(expected), outcome.data.get("truncated")) == (size, truncated)
    assert outcome.data["content"] == expected[:MAX_CHARS]


async def test_many_files_are_searched_in_order(tool: GrepSearch, write: Write) -> None:
    names = [f"{number:03}" for number in range(250)]
    for name in names:
        write(name, "x")
    outcome = await tool.run({"pattern": "x"})
    assert outcome.data["content"] == "".join(f"{name}:1: x\n" for name in names)


async def test_a_cut_keeps_the_whole_and_tells_what_to_do(tool: GrepSearch, write: Write) -> None:
    write("a", "needle\n" * 1_000)
    outcome = await tool.run({"pattern": "needle"})
    assert outcome.full_output is not None
    assert outcome.data["content"] == outcome.full_output[:MAX_CHARS]
    assert outcome.data["matches"] == 1_000
    assert outcome.data["original_characters"] == len(outcome.full_output)
    assert outcome.data["resume"] == "ask for a narrower pattern, path or glob"


async def test_too_many_matches_stop_the_search(
    tool: GrepSearch, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep_search, "MAX_KEPT_CHARS", 50)
    for name in "abc":
        write(name, "needle\n" * 1_000)
    outcome = await tool.run({"pattern": "needle"})
    assert outcome.data["matches"] == 5
    assert outcome.data["truncated"] is True
    assert outcome.data["resume"].startswith("stopped after 50 characters of matches; ask")


async def test_time_that_is_up_stops_the_search(
    tool: GrepSearch, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep_search, "TIME_LIMIT_S", 0)
    write("a", "needle\n")
    for path in (".", "a"):
        outcome = await tool.run({"pattern": "needle", "path": path})
        assert outcome.data["resume"].startswith("stopped after 0 s; ask")
        assert outcome.data["truncated"] is True


async def test_cancelling_kills_the_process(
    workspace: Workspace, root: Path, write: Write, tmp_path: Path
) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\necho $$ > " + f"{tmp_path}/pid\nexec sleep 60\n")
    program.chmod(0o755)
    write("a", "x")
    task = asyncio.create_task(GrepSearch(workspace, Ripgrep(str(program))).run({"pattern": "x"}))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    process = Path("/proc") / (tmp_path / "pid").read_text().strip()
    end = time.monotonic() + 2
    while process.exists() and time.monotonic() < end:
        await asyncio.sleep(0.01)
    assert not process.exists()


async def test_it_holds_no_descriptor_afterwards(tool: GrepSearch, write: Write) -> None:
    for number in range(120):
        write(f"d{number % 7}/{number}", "needle\n")
    before = len(list(Path("/proc/self/fd").iterdir()))
    await tool.run({"pattern": "needle"})
    with pytest.raises(ToolError):
        await tool.run({"pattern": "needle", "path": "missing"})
    assert len(list(Path("/proc/self/fd").iterdir())) == before
