"""Where `grep_search` ends: long files and lines, many matches, time, a cancel."""

import asyncio
import time
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools import grep_search
from agent.tools.grep_search import MAX_CHARS, GrepSearch
from agent.tools.paths import Workspace
from agent.tools.ripgrep import Ripgrep
from agent.tools.search_engine import SearchEngine
from tests.agent.tools.conftest import Write
from tests.agent.tools.searching import found


@pytest.fixture
def tool(workspace: Workspace, engine: SearchEngine) -> GrepSearch:
    return GrepSearch(workspace, engine)


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
