import os
import threading
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools import walk
from agent.tools.deadline import Deadline
from agent.tools.paths import Workspace
from agent.tools.walk import Walk
from tests.agent.tools.conftest import Write


def walked(workspace: Workspace, start: str = ".", deepest: int | None = None) -> list[str]:
    return [entry.path for entry in fresh(workspace, start, deepest)]


def fresh(workspace: Workspace, start: str = ".", deepest: int | None = None) -> Walk:
    return Walk(workspace, start, Deadline(30, threading.Event()), deepest=deepest)


def test_it_goes_in_the_order_of_the_paths(workspace: Workspace, write: Write) -> None:
    paths = ["a-b/x", "a.b", "a/x", "a/y/z", "ab", "B", "é/x"]
    for path in paths:
        write(path)
    assert walked(workspace) == sorted(paths)


def test_it_leaves_out_git_and_what_is_ignored(workspace: Workspace, write: Write) -> None:
    for path in [".git/config", "sub/.git", "build/x", "a.log", "sub/b.log", "sub/keep.log", "a"]:
        write(path)
    write(".gitignore", "build/\n*.log\n")
    write("sub/.gitignore", "!keep.log\n")
    assert walked(workspace) == [".gitignore", "a", "sub/.gitignore", "sub/keep.log"]


def test_an_ignored_folder_that_is_named_is_walked(workspace: Workspace, write: Write) -> None:
    write(".gitignore", "build\n*.log\n")
    for path in ["build/a", "build/b.log", "build/deep/c"]:
        write(path)
    assert walked(workspace, "build") == ["build/a", "build/b.log", "build/deep/c"]
    assert walked(workspace, "build/deep") == ["build/deep/c"]


def test_rules_above_the_start_count(workspace: Workspace, write: Write) -> None:
    write(".gitignore", "*.log\n/src/gen\n")
    for path in ["src/a.py", "src/a.log", "src/gen/b.py"]:
        write(path)
    assert walked(workspace, "src") == ["src/a.py"]
    assert walked(workspace, "src/../src") == [
        "src/../src/a.log",
        "src/../src/a.py",
        "src/../src/gen/b.py",
    ]


def test_the_git_folder_is_not_walked_even_when_named(workspace: Workspace, write: Write) -> None:
    write(".git/config")
    assert walked(workspace, ".git") == []


def test_links_are_named_and_never_followed(workspace: Workspace, root: Path, write: Write) -> None:
    write("a/b")
    (root / "in").symlink_to("a")
    (root / "out").symlink_to("/etc")
    (root / "loop").symlink_to(".")
    assert [(entry.path, entry.is_link) for entry in fresh(workspace)] == [
        ("a/b", False),
        ("in", True),
        ("loop", True),
        ("out", True),
    ]


def test_what_is_neither_file_nor_link_is_left_out(
    workspace: Workspace, root: Path, write: Write
) -> None:
    write("a")
    os.mkfifo(root / "fifo")
    assert walked(workspace) == ["a"]


def test_an_entry_opens_what_it_names_and_no_link(
    workspace: Workspace, root: Path, write: Write
) -> None:
    write("a/b", "text")
    for entry in fresh(workspace):
        with os.fdopen(entry.open(), "rb") as file:
            assert file.read() == b"text"
        (root / "a/b").unlink()
        (root / "a/b").symlink_to("/etc/passwd")
        with pytest.raises(OSError, match="symbolic links"):
            entry.open()


def test_hidden_folders_are_not_walked(root: Path, write: Write) -> None:
    for path in ["var/key", "a/var/b", "c"]:
        write(path)
    workspace = Workspace(root, hidden=(root / "var",))
    assert walked(workspace) == ["a/var/b", "c"]
    with pytest.raises(ToolError, match="'var' does not exist"):
        walked(workspace, "var")


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "binary", "bad rules"])
def test_a_planted_gitignore_does_no_harm(
    workspace: Workspace, root: Path, write: Write, kind: str
) -> None:
    write("a")
    (root.parent / "secret").write_text("a\n")
    planted = root / ".gitignore"
    if kind == "link":
        planted.symlink_to(root.parent / "secret")
    elif kind == "fifo":
        os.mkfifo(planted)
    elif kind == "folder":
        planted.mkdir()
    else:
        planted.write_bytes(b"\xff\x00\n[z-a]\n[\n\\\n" if kind == "binary" else b"(((\n[[:x:]]\n")
    assert "a" in walked(workspace)


def test_other_configuration_planted_there_is_not_read(workspace: Workspace, write: Write) -> None:
    for path in [".ignore", ".rgignore", ".git/info/exclude", ".config/ripgrep"]:
        write(path, "a\n")
    write("a")
    assert "a" in walked(workspace)


def test_a_folder_that_vanishes_is_left_out(workspace: Workspace, root: Path, write: Write) -> None:
    write("a")
    (root / "b").mkdir()
    seen = []
    for entry in fresh(workspace):
        seen.append(entry.path)
        (root / "b").rmdir()
    assert seen == ["a"]


def test_it_goes_only_as_deep_as_asked(workspace: Workspace, write: Write) -> None:
    for path in ["a", "b/c", "b/d/e"]:
        write(path)
    asked = fresh(workspace, deepest=2)
    assert [entry.path for entry in asked] == ["a", "b/c"]
    assert asked.stopped == ""


def test_it_stops_at_its_allowance_and_says_so(
    workspace: Workspace, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        write(f"a/{number}")
    monkeypatch.setattr(walk, "MAX_ENTRIES", 4)
    limited = fresh(workspace)
    assert len(list(limited)) == 3
    assert limited.stopped == "stopped after 4 files and folders"


def test_exactly_its_allowance_is_not_a_stop(
    workspace: Workspace, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        write(f"a/{number}")
    monkeypatch.setattr(walk, "MAX_ENTRIES", 4)
    limited = fresh(workspace)
    assert (len(list(limited)), limited.stopped) == (3, "")


def test_folders_without_end_are_left_at_some_depth(
    workspace: Workspace, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_DEPTH", 2)
    write("a/b/c/d")
    write("z")
    limited = fresh(workspace)
    assert [entry.path for entry in limited] == ["z"]
    assert limited.stopped == "stopped at a depth of 2 folders"


@pytest.mark.parametrize(("seconds", "reason"), [(0, "stopped after 0 s"), (30, "cancelled")])
def test_it_stops_at_the_deadline(
    workspace: Workspace, write: Write, seconds: float, reason: str
) -> None:
    write("a")
    cancelled = threading.Event()
    if seconds:
        cancelled.set()
    stopped = Walk(workspace, ".", Deadline(seconds, cancelled))
    assert (list(stopped), stopped.stopped) == ([], reason)


def test_it_holds_no_descriptor_afterwards(workspace: Workspace, write: Write) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    write("a/b/c")
    write(".gitignore", "x")
    walked(workspace)
    walked(workspace, "a/b")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
