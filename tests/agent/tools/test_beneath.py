import errno
import os
import re
from pathlib import Path

import pytest

from agent.tools import beneath
from agent.tools.beneath import file_id, open_beneath, openat2_beneath, path_parts
from tests.agent.tools.conftest import Write

READ = os.O_RDONLY | os.O_CLOEXEC


def content(root: Path, path: str) -> bytes:
    descriptor = open_beneath(str(root), path_parts(path), READ, ())
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def check_refused(root: Path, path: str, code: int) -> None:
    with pytest.raises(OSError, match=re.escape(os.strerror(code))):
        open_beneath(str(root), path_parts(path), READ, ())


def test_what_leaves_is_a_cross_device_error(root: Path, way: str) -> None:
    (root / "out").symlink_to("/etc")
    check_refused(root, "../x", errno.EXDEV)
    check_refused(root, "out/passwd", errno.EXDEV)
    check_refused(root, "missing", errno.ENOENT)


def test_forty_links_are_followed_and_one_more_is_not(root: Path, write: Write, way: str) -> None:
    write("link0", "end")
    for number in range(1, 42):
        (root / f"link{number}").symlink_to(f"link{number - 1}")
    assert content(root, "link40") == b"end"
    check_refused(root, "link41", errno.ELOOP)


def test_the_root_itself_can_be_opened(root: Path, way: str) -> None:
    descriptor = open_beneath(str(root), [], READ | os.O_DIRECTORY, ())
    status = root.stat()
    assert file_id(descriptor) == (status.st_dev, status.st_ino)
    os.close(descriptor)


def test_a_barred_folder_is_not_there_even_as_the_root(root: Path) -> None:
    status = root.stat()
    with pytest.raises(FileNotFoundError):
        open_beneath(str(root), ["a"], READ, {(status.st_dev, status.st_ino)})


def test_a_barred_folder_is_not_there_as_the_end_of_a_path(root: Path) -> None:
    (root / "var").mkdir()
    status = (root / "var").stat()
    with pytest.raises(FileNotFoundError):
        open_beneath(str(root), ["var"], READ, {(status.st_dev, status.st_ino)})


def test_a_root_that_became_a_link_is_refused(root: Path) -> None:
    (root / "dir").mkdir()
    (root / "alias").symlink_to("dir")
    with pytest.raises(NotADirectoryError):
        open_beneath(str(root / "alias"), ["a"], READ, ())


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EPERM, errno.EAGAIN])
def test_a_kernel_that_does_not_decide_leaves_it_to_us(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def undecided(*arguments: object) -> int:
        raise OSError(code, os.strerror(code))

    write("a", "a")
    monkeypatch.setattr(beneath, "openat2_beneath", undecided)
    assert content(root, "a") == b"a"
    check_refused(root, "../a", errno.EXDEV)


def test_the_kernel_s_call_is_used_where_it_is_there(root: Path, write: Write) -> None:
    write("a", "a")
    folder = os.open(root, os.O_RDONLY)
    descriptor = openat2_beneath(folder, ["a"], READ)
    assert os.read(descriptor, 9) == b"a"
    os.close(descriptor)
    os.close(folder)
