import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.errors import ToolError
from agent.tools.paths import Workspace
from tests.agent.tools.conftest import Write
from tests.agent.tools.fault_cases import fault_case
from tests.agent.tools.flipping import SECRET, flip


@pytest.fixture
def tricky(root: Path, write: Write) -> Path:
    """A workspace full of ways out, beside a secret file and a folder with a similar name."""
    outside = root.parent
    (outside / "secret").write_text(SECRET)
    (outside / "ws-evil").mkdir()
    (outside / "ws-evil" / "a").write_text(SECRET)
    write("ok.txt", "ok")
    write("sub/deep.txt", "deep")
    write("%2e%2e", "a name")
    write("...", "dots")
    links: dict[str, str | Path] = {
        "link": outside / "secret",
        "rellink": "../secret",
        "sub/uplink": "../../secret",
        "dirlink": "/",
        "parent": "..",
        "dang": "/tmp/outside_new",
        "chain": "link",
        "loop": "loop",
        "ping": "pong",
        "pong": "ping",
        "evil": outside / "ws-evil",
        "back": f"{root}/../secret",
        "prefix": f"{root}-evil/a",
        "proc": "/proc/self/root",
        "cwd": "/proc/self/cwd",
        "in": root / "sub",
        "relin": "sub",
        "nested": "sub/../relin/deep.txt",
        "self": root,
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.link(outside / "secret", root / "hard")
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(root / "socket"))
    return root


REFUSED = [
    "../secret",
    "sub/../../secret",
    "./../secret",
    "sub/./.././../secret",
    "../ws-evil/a",
    "..",
    "link",
    "rellink",
    "sub/uplink",
    "chain",
    "parent/secret",
    "relin/../../secret",
    "in/../../secret",
    "dang",
    "dirlink/etc/passwd",
    "evil/a",
    "back",
    "prefix",
    "proc/etc/passwd",
    "cwd/pyproject.toml",
    "self/../secret",
    "loop",
    "ping",
    "loop/x",
    "hard",
    "fifo",
    "socket",
    "sub",
    ".",
    "ok.txt/x",
    "ok.txt/../../secret",
    "",
    "ok.txt\x00.png",
    "link\x00",
    "%2e%2e/secret",
    "..%2fsecret",
    "．．/secret",
    "..\\secret",
    "~/secret",
    "$HOME/secret",
    "file:///secret",
    "/secret",
    "/etc/passwd",
    "//etc/passwd",
    "/dev/zero",
    "/proc/self/environ",
    "missing",
    "x" * 300,
    "a/" * 3000,
    "\ud800",
]


@pytest.mark.parametrize("path", REFUSED)
def test_it_refuses_what_is_not_a_file_of_the_workspace(tricky: Path, way: str, path: str) -> None:
    with pytest.raises(ToolError) as refusal:
        Workspace(tricky).open_file(path)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize("tail", ["../secret", "../ws-evil/a", "link", "dirlink/etc/passwd"])
def test_it_refuses_absolute_paths_that_leave(tricky: Path, way: str, tail: str) -> None:
    with pytest.raises(ToolError):
        Workspace(tricky).open_file(f"{tricky}/{tail}")


def test_a_sibling_whose_name_begins_like_the_root_is_outside(tricky: Path, way: str) -> None:
    with pytest.raises(ToolError, match="leaves the workspace"):
        Workspace(tricky).open_file(f"{tricky}-evil/a")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("ok.txt", "ok"),
        ("./ok.txt", "ok"),
        ("sub//deep.txt", "deep"),
        ("sub/../ok.txt", "ok"),
        ("in/deep.txt", "deep"),
        ("in/../ok.txt", "ok"),
        ("relin/deep.txt", "deep"),
        ("nested", "deep"),
        ("self/sub/deep.txt", "deep"),
        ("%2e%2e", "a name"),
        ("...", "dots"),
    ],
)
def test_it_opens_files_below_the_root(tricky: Path, way: str, path: str, content: str) -> None:
    for name in (path, f"{tricky}/{path}"):
        with Workspace(tricky).open_file(name) as file:
            assert file.read().decode() == content


def test_a_workspace_reached_through_a_link_takes_both_of_its_names(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "a").write_text("a")
    (tmp_path / "alias").symlink_to(real)
    workspace = Workspace(tmp_path / "alias")
    names = [workspace.relative(f"{tmp_path}/{name}/a") for name in ("alias", "real")]
    assert names == ["a", "a"]


def test_refusals_leave_no_descriptor_open(tricky: Path, way: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in REFUSED:
        with pytest.raises(ToolError):
            Workspace(tricky).open_file(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_refusals_name_the_path_and_the_reason(tricky: Path) -> None:
    def refusal(path: str) -> str:
        with pytest.raises(ToolError) as caught:
            Workspace(tricky).open_file(path)
        return str(caught.value)

    assert refusal("missing") == "path 'missing' does not exist in the workspace"
    assert refusal("link") == (
        "path 'link' leaves the workspace; only paths below it can be opened"
    )
    assert refusal("sub") == "path 'sub' is a folder; glob_search lists the files in it"
    assert refusal("a/" * 3000) == "the path has 6,000 bytes; allowed are 4,096"
    assert refusal("x\x00") == "path 'x\\x00' holds a NUL character, which no file name can"


def test_the_paths_of_fault_case_c34a(tmp_path: Path, way: str) -> None:
    case = fault_case("C34a_path")
    base = tmp_path / "case"
    for kind, path, *rest in case["setup"]:
        place = base / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "dir":
            place.mkdir(exist_ok=True)
        elif kind == "file":
            place.write_text(rest[0])
        else:
            inner = rest[0].startswith("/ws/")
            place.symlink_to(f"{base}{rest[0]}" if inner else rest[0])
    readable = []
    for path in case["reads"]:
        try:
            name = f"{base}{path}" if path.startswith("/") else path
            Workspace(base / "ws").open_file(name).close()
            readable.append(path)
        except ToolError:
            continue
    assert readable == ["ok.txt", "/ws/ok.txt"]


def test_an_unreadable_root_is_said_to_be_gone(tmp_path: Path, way: str) -> None:
    with pytest.raises(ToolError, match="the workspace's folder does not exist"):
        Workspace(tmp_path / "gone").open_file("a")


@pytest.fixture
def flipping(root: Path, write: Write) -> Iterator[Path]:
    """A link `dir` that points inside and outside in turn, both having a file `a`."""
    write("inside/a", "ok")
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a").write_text(SECRET)
    (root / "dir").symlink_to("inside")
    end = threading.Event()
    thread = threading.Thread(target=flip, args=(root / "dir", Path("inside"), outside, end))
    thread.start()
    yield root
    end.set()
    thread.join()


def test_no_byte_from_outside_comes_through_a_flipping_link(flipping: Path, way: str) -> None:
    workspace = Workspace(flipping)
    seen: set[bytes] = set()
    start = time.monotonic()
    while (passed := time.monotonic() - start) < 1 or (len(seen) < 2 and passed < 30):
        try:
            with workspace.open_file("dir/a") as file:
                seen.add(file.read())
        except ToolError:
            seen.add(b"refused")
    assert seen == {b"ok", b"refused"}
