from pathlib import Path
from typing import Any

import pytest

from agent.errors import ToolError
from agent.protocols import ToolOutcome
from agent.tools import walk
from agent.tools.glob_search import MAX_PATHS, GlobSearch
from agent.tools.paths import Workspace
from tests.agent.tools.conftest import Write

FILES = [
    "README.md",
    "agent/loop.py",
    "agent/tools/base.py",
    "agent/a.txt",
    "docs/x.md",
    ".hid/y.md",
]


@pytest.fixture
def tool(workspace: Workspace, write: Write) -> GlobSearch:
    for path in FILES:
        write(path)
    return GlobSearch(workspace)


async def paths(tool: GlobSearch, **arguments: Any) -> list[str]:
    outcome = await tool.run(arguments)
    assert outcome.data["total"] == len(outcome.data["paths"])
    return list(outcome.data["paths"])


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("agent/**/*.py", ["agent/loop.py", "agent/tools/base.py"]),
        ("**/*.md", [".hid/y.md", "README.md", "docs/x.md"]),
        ("*.md", ["README.md"]),
        ("*", ["README.md"]),
        ("agent/loop.py", ["agent/loop.py"]),
        ("**", sorted(FILES)),
        ("{docs,agent}/*.{md,txt}", ["agent/a.txt", "docs/x.md"]),
        ("agent/tools", []),
        ("missing/**/*.py", []),
        ("README.md/*", []),
    ],
)
async def test_it_finds_files_by_pattern(tool: GlobSearch, pattern: str, found: list[str]) -> None:
    assert await paths(tool, pattern=pattern) == found


async def test_the_pattern_is_relative_to_the_path(tool: GlobSearch) -> None:
    assert await paths(tool, pattern="*.py", path="agent/tools/") == ["agent/tools/base.py"]


async def test_an_absolute_pattern_below_the_workspace_is_taken(
    tool: GlobSearch, root: Path
) -> None:
    assert await paths(tool, pattern=f"{root}/docs/*") == ["docs/x.md"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"pattern": "*", "path": "missing"}, "'missing' does not exist"),
        ({"pattern": "*", "path": "README.md"}, "'README.md' does not exist"),
        ({"pattern": "*", "path": ".."}, "'..' leaves the workspace"),
        ({"pattern": "*", "path": "out"}, "'out' leaves the workspace"),
        ({"pattern": "../*"}, "holds a .. step"),
        ({"pattern": "/etc/*"}, "leaves the workspace"),
        ({"pattern": ""}, "argument \"pattern\" is ''"),
    ],
)
async def test_bad_arguments_are_refused(
    tool: GlobSearch, root: Path, arguments: dict[str, str], reason: str
) -> None:
    (root / "out").symlink_to("/etc")
    with pytest.raises(ToolError, match=reason):
        await tool.run(arguments)


async def test_a_link_counts_when_it_leads_to_a_file_inside(tool: GlobSearch, root: Path) -> None:
    for name, target in [
        ("in", "README.md"),
        ("out", "/etc/passwd"),
        ("dir", "docs"),
        ("gone", "x"),
    ]:
        (root / f"{name}.link").symlink_to(target)
    assert await paths(tool, pattern="**/*.link") == ["in.link"]
    assert await paths(tool, pattern="dir.link/*") == ["dir.link/x.md"]
    assert await paths(tool, pattern="out.link/*") == []


async def test_an_excluded_folder_is_found_when_it_is_named(tool: GlobSearch, write: Write) -> None:
    write(".gitignore", "docs/\n")
    assert await paths(tool, pattern="**/x.md") == []
    assert await paths(tool, pattern="docs/**") == ["docs/x.md"]
    assert await paths(tool, pattern="*", path="docs") == ["docs/x.md"]


async def test_git_and_hidden_folders_are_never_found(root: Path, write: Write) -> None:
    for path in [".git/config", "var/key", "a"]:
        write(path)
    tool = GlobSearch(Workspace(root, hidden=(root / "var",)))
    assert await paths(tool, pattern="**") == ["a"]
    assert await paths(tool, pattern=".git/*") == []
    assert await paths(tool, pattern="var/*") == []


async def numbered(workspace: Workspace, write: Write, count: int) -> ToolOutcome:
    for number in range(count):
        write(f"{number:03}")
    return await GlobSearch(workspace).run({"pattern": "*"})


async def test_exactly_the_limit_is_not_cut(workspace: Workspace, write: Write) -> None:
    outcome = await numbered(workspace, write, MAX_PATHS)
    expected = [f"{number:03}" for number in range(MAX_PATHS)]
    assert outcome == ToolOutcome({"pattern": "*", "paths": expected, "total": MAX_PATHS})


async def test_one_more_is_cut_with_the_total_and_a_hint(
    workspace: Workspace, write: Write
) -> None:
    outcome = await numbered(workspace, write, MAX_PATHS + 1)
    assert outcome.data == {
        "pattern": "*",
        "paths": [f"{number:03}" for number in range(MAX_PATHS)],
        "total": MAX_PATHS + 1,
        "truncated": True,
        "resume": "ask for a narrower pattern or path",
    }
    assert outcome.full_output is not None
    assert outcome.full_output.split("\n")[-1] == "100"


async def test_a_search_that_stopped_says_so(
    workspace: Workspace, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_ENTRIES", 2)
    outcome = await numbered(workspace, write, 3)
    assert (outcome.data["total"], outcome.data["truncated"]) == (2, True)
    assert outcome.data["resume"] == (
        "stopped after 2 files and folders; ask for a narrower pattern or path"
    )
