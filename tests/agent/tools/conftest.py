import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.tools import beneath
from agent.tools.paths import Workspace
from agent.tools.search_engine import LiteralSearch, SearchEngine
from tests.agent.tools.searching import ripgrep

Write = Callable[..., Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


@pytest.fixture
def write(root: Path) -> Write:
    """Write files below the workspace: write("a/b.txt", "text")."""

    def write_one(path: str, content: str | bytes = "") -> Path:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write_one


@pytest.fixture(params=["ripgrep", "literal"])
def engine(request: pytest.FixtureRequest) -> SearchEngine:
    """Both engines of a search."""
    return ripgrep() if request.param == "ripgrep" else LiteralSearch()


@pytest.fixture(params=["openat2", "by component"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of opening: the kernel's, and ours for kernels without it."""

    def missing(*arguments: object) -> int:
        raise OSError(errno.ENOSYS, "no such call")

    if request.param == "by component":
        monkeypatch.setattr(beneath, "openat2_beneath", missing)
    return str(request.param)
