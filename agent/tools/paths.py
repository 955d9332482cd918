"""Confinement: what a tool may open. All access to a workspace's files goes through `Workspace`."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from agent.errors import ToolError
from agent.tools.beneath import FileId, open_beneath, path_parts

MAX_PATH_BYTES = 4_096
READ = (
    os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
)  # non-blocking: a FIFO can't hold us
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

CONTROL = re.compile(r"[\x00-\x1f\x7f]")

REASONS = {
    errno.ENOENT: "does not exist in the workspace",
    errno.ENOTDIR: "does not exist in the workspace",
    errno.EXDEV: "leaves the workspace; only paths below it can be opened",
    errno.ELOOP: "goes through too many links",
    errno.EACCES: "can't be read: permission denied",
    errno.ENAMETOOLONG: "has a name that is too long",
    errno.ENXIO: "is not a regular file",
}


class Workspace:
    """The files below one folder, as a session's tools see them.

    `hidden` folders (the server's own data) do not exist for any tool, by whatever way they are
    reached. `shown` folders lie inside hidden ones and hold workspaces: a workspace at or below a
    shown folder works, and sees its own files only; one elsewhere inside a hidden folder does not
    exist either. For the server: `hidden=(var,)`, `shown=(var / "workspaces",)`, for every session.
    """

    def __init__(
        self, root: Path, hidden: tuple[Path, ...] = (), shown: tuple[Path, ...] = ()
    ) -> None:
        self.root = root.resolve()
        self._names = {str(root.absolute()), str(self.root)}  # how absolute paths may begin
        inside_shown = any(self.root.is_relative_to(folder.resolve()) for folder in shown)
        self._hidden = () if inside_shown else tuple(folder.resolve() for folder in hidden)

    def relative(self, path: str) -> str:
        """The path below the root, "." for the root; absolute paths below the root are allowed.

        Purely a matter of text: `..` and links stay. Raises `ToolError`.
        """
        self._check_text(path)
        parts = path_parts(path)
        if path.startswith("/"):
            parts = self._below_root(path, parts)
        return "/".join(parts) or "."

    def open_file(self, path: str) -> BinaryIO:
        """The file, open for reading: a regular one strictly below the root, else `ToolError`."""
        return regular(self._open(path, READ), path)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """A descriptor of the folder, closed at the end; `ToolError` when there is none such."""
        descriptor = self._open(path, FOLDER)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this path; False also where nothing can be opened."""
        try:
            with self.folder(path):
                return True
        except ToolError:
            return False

    def hidden_ids(self) -> frozenset[FileId]:
        """What the hidden folders are by now; `ToolError` when the root itself lies in one."""
        found = set()
        for folder in self._hidden:
            if self.root.is_relative_to(folder):
                raise ToolError("the workspace's folder does not exist")
            try:
                status = folder.stat()
            except FileNotFoundError:
                continue
            found.add((status.st_dev, status.st_ino))
        return frozenset(found)

    def _open(self, path: str, flags: int) -> int:
        parts = path_parts(self.relative(path))
        hidden = self.hidden_ids()
        try:
            return open_beneath(str(self.root), parts, flags, hidden)
        except OSError as error:
            if not self.root.is_dir():
                raise ToolError("the workspace's folder does not exist") from error
            reason = REASONS.get(error.errno or 0, f"can't be opened: {error.strerror}")
            raise ToolError(f"path {shown(path)} {reason}") from error

    def _check_text(self, path: str) -> None:
        if not path:
            raise ToolError('the path is empty; "." is the workspace itself')
        if "\x00" in path:
            raise ToolError(f"path {shown(path)} holds a NUL character, which no file name can")
        try:
            size = len(os.fsencode(path))
        except UnicodeEncodeError:
            raise ToolError(f"path {shown(path)} is no valid text") from None
        if size > MAX_PATH_BYTES:
            raise ToolError(f"the path has {size:,} bytes; allowed are {MAX_PATH_BYTES:,}")

    def _below_root(self, path: str, parts: list[str]) -> list[str]:
        for name in self._names:
            start = path_parts(name)
            if parts[: len(start)] == start:
                return parts[len(start) :]
        raise ToolError(f"path {shown(path)} {REASONS[errno.EXDEV]}")


def regular(descriptor: int, path: str) -> BinaryIO:
    """The descriptor as a file object if it is a regular file, else `ToolError` naming `path`.

    A file with several names (hard links) may be one from outside, so it is refused. The descriptor
    is closed with the object, or on refusal.
    """
    status = os.fstat(descriptor)
    problem = ""
    if stat.S_ISDIR(status.st_mode):
        problem = "is a folder; glob_search lists the files in it"
    elif not stat.S_ISREG(status.st_mode):
        problem = "is not a regular file"
    elif status.st_nlink > 1:
        problem = (
            f"has {status.st_nlink} names (hard links) and may lie outside; a copy can be read"
        )
    if problem:
        os.close(descriptor)
        raise ToolError(f"path {shown(path)} {problem}")
    return os.fdopen(descriptor, "rb")


def shown(path: str) -> str:
    """A path for error texts: quoted, control characters escaped, at most 200 characters."""
    return repr(path if len(path) <= 200 else f"{path[:200]}...")


def readable(path: str) -> str:
    """A path for lines of output: control characters, which could forge a line, are escaped."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", path)
