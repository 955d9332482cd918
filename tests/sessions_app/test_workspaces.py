from pathlib import Path

import pytest
from pytest_django import Settings

from sessions_app import workspaces
from sessions_app.workspaces import WorkspaceNotAllowed


@pytest.fixture
def root(settings: Settings) -> Path:
    first: Path = settings.WORKSPACE_ROOTS[0]
    return first.resolve()


def test_it_makes_a_folder_for_its_owner_alone(root: Path) -> None:
    folder = workspaces.create(owner_id=7)
    assert workspaces.allowed(str(folder), owner_id=7) == folder
    with pytest.raises(WorkspaceNotAllowed):
        workspaces.allowed(str(folder), owner_id=77)


def test_it_allows_the_root_until_it_holds_someone_elses_folder(root: Path) -> None:
    workspaces.create(owner_id=7)
    assert workspaces.allowed(str(root), owner_id=7) == root
    with pytest.raises(WorkspaceNotAllowed):
        workspaces.allowed(str(root), owner_id=8)


def test_it_refuses_what_only_begins_like_a_root(root: Path) -> None:
    sibling = root.with_name(root.name + "-evil")
    sibling.mkdir()
    with pytest.raises(WorkspaceNotAllowed):
        workspaces.allowed(str(sibling), owner_id=7)


def test_it_refuses_a_link_that_leads_out(root: Path, tmp_path: Path) -> None:
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(WorkspaceNotAllowed):
        workspaces.allowed(str(root / "out"), owner_id=7)


def test_it_refuses_a_loop_of_links(root: Path) -> None:
    (root / "a").symlink_to(root / "b")
    (root / "b").symlink_to(root / "a")
    with pytest.raises(WorkspaceNotAllowed):
        workspaces.allowed(str(root / "a"), owner_id=7)


@pytest.mark.parametrize("name", ["file", "missing", "x" * 5_000])
def test_it_refuses_what_is_no_folder(root: Path, name: str) -> None:
    (root / "file").write_text("")
    with pytest.raises(WorkspaceNotAllowed, match=f"a folder below {root}"):
        workspaces.allowed(str(root / name), owner_id=7)


def test_it_refuses_the_servers_own_data(settings: Settings, tmp_path: Path) -> None:
    settings.VAR = tmp_path / "var"
    settings.WORKSPACE_ROOTS = [settings.VAR / "workspaces", tmp_path]
    (settings.VAR / "workspaces" / "mine").mkdir(parents=True)
    with pytest.raises(WorkspaceNotAllowed):
        workspaces.allowed(str(settings.VAR), owner_id=7)
    mine = settings.VAR / "workspaces" / "mine"
    assert workspaces.allowed(str(mine), owner_id=7) == mine
