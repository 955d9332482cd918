import sys
from pathlib import Path

import pytest

from agent.tools.executor import ToolExecutor
from agent.tools.paths import Workspace
from agent.tools.registry import workspace_tools
from agent.tools.ripgrep import find_ripgrep


def test_the_tools_stand_in_a_fixed_order(workspace: Workspace) -> None:
    definitions = ToolExecutor(workspace_tools(workspace)).definitions
    assert [definition.name for definition in definitions] == [
        "read_file",
        "grep_search",
        "glob_search",
    ]


def test_each_description_tells_the_limit(workspace: Workspace) -> None:
    descriptions = [tool.definition.description for tool in workspace_tools(workspace)]
    for limit, description in zip(["50,000", "10,000", "100 paths"], descriptions, strict=True):
        assert limit in description
        assert "truncated" in description


def test_every_argument_is_described(workspace: Workspace) -> None:
    for tool in workspace_tools(workspace):
        properties = tool.definition.parameters["properties"]
        assert all(schema["description"] for schema in properties.values())
        assert "title" not in str(tool.definition.parameters)


def test_ripgrep_is_found_beside_the_interpreter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program = tmp_path / "bin" / "rg"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert find_ripgrep() == str(program)


async def test_without_ripgrep_searching_still_works(
    monkeypatch: pytest.MonkeyPatch, workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (root / "a").write_text("needle")
    _, search, _ = workspace_tools(workspace)
    outcome = await search.run({"pattern": "needle"})
    assert outcome.data["content"] == "a:1: needle\n"
    assert "plain text" in outcome.data["note"]
