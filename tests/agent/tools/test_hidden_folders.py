from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools.paths import Workspace
from tests.agent.tools.conftest import Write
from tests.agent.tools.flipping import SECRET


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A checkout with the server's own data, one workspace inside it, and ways to it."""
    checkout = tmp_path / "checkout"
    (checkout / "var" / "workspaces" / "7").mkdir(parents=True)
    (checkout / "var" / "holders").mkdir()
    (checkout / "var" / "secret_key").write_text(SECRET)
    (checkout / "var" / "workspaces" / "7" / "a").write_text("a")
    (checkout / "README").write_text("readme")
    (checkout / "link").symlink_to("var")
    (checkout / "abs").symlink_to(checkout / "var")
    (checkout / "key").symlink_to("var/secret_key")
    return checkout


def inside(server: Path, folder: str) -> Workspace:
    var = server / "var"
    return Workspace(server / folder, hidden=(var,), shown=(var / "workspaces",))


@pytest.mark.parametrize(
    "path",
    [
        "var/secret_key",
        "./var/../var/secret_key",
        "link/secret_key",
        "abs/secret_key",
        "key",
        "var",
        "link",
        "var/workspaces/7/a",
        "var/missing",
    ],
)
def test_hidden_folders_do_not_exist(server: Path, way: str, path: str) -> None:
    workspace = inside(server, ".")
    with pytest.raises(ToolError, match=f"path '{path}' does not exist in the workspace"):
        workspace.open_file(path)
    assert not workspace.is_folder(path)


def test_files_beside_a_hidden_folder_can_be_read(server: Path, way: str) -> None:
    with inside(server, ".").open_file("README") as file:
        assert file.read() == b"readme"


def test_a_workspace_in_a_shown_folder_sees_its_own_files_only(server: Path, way: str) -> None:
    workspace = inside(server, "var/workspaces/7")
    with workspace.open_file("a") as file:
        assert file.read() == b"a"
    with pytest.raises(ToolError):
        workspace.open_file("../../secret_key")


@pytest.mark.parametrize("folder", ["var", "var/holders"])
def test_a_workspace_elsewhere_in_a_hidden_folder_does_not_exist(server: Path, folder: str) -> None:
    with pytest.raises(ToolError, match="the workspace's folder does not exist"):
        inside(server, folder).open_file("secret_key")


def test_a_hidden_folder_may_come_into_being_later(root: Path, write: Write, way: str) -> None:
    workspace = Workspace(root, hidden=(root / "var",))
    write("a", "a")
    workspace.open_file("a").close()
    write("var/secret_key", SECRET)
    with pytest.raises(ToolError):
        workspace.open_file("var/secret_key")
