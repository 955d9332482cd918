"""Opening a path strictly below a folder, without a moment between check and open."""

import ctypes
import errno
import os
import sys
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import ExitStack

FileId = tuple[int, int]  # device and inode: what a folder is, whatever path led to it

MAX_LINKS = 40  # followed on one path; the kernel's own limit
OPENAT2 = 437  # the call's number on every architecture
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_BENEATH = 0x08
# The call is missing or forbidden (old kernel, seccomp), lost a race with a rename, or met an
# absolute link or a path that leaves: then the way by component decides, since it knows absolute
# links that come back into the root.
UNDECIDED = {errno.ENOSYS, errno.EPERM, errno.EAGAIN, errno.EXDEV}
STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _OpenHow(ctypes.Structure):
    """The kernel's `struct open_how`."""

    _fields_ = [
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    ]


def open_beneath(root: str, parts: Sequence[str], flags: int, barred: Collection[FileId]) -> int:
    """A descriptor of root/parts. Raises OSError, EXDEV when the path leaves `root`.

    `root` is a real path (no links in it). Links that stay below it are followed. The folders in
    `barred` don't exist (ENOENT), whatever the way to them. `flags` must not create anything.
    """
    folder = os.open(root, STEP)
    try:
        if barred:  # only a walk sees which folders it passes
            return open_by_component(folder, root, parts, flags, barred)
        try:
            return openat2_beneath(folder, parts, flags)
        except OSError as error:
            if error.errno not in UNDECIDED:
                raise
        return open_by_component(folder, root, parts, flags, barred)
    finally:
        os.close(folder)


def openat2_beneath(folder: int, parts: Sequence[str], flags: int) -> int:
    """The kernel's own confinement.

    Raises OSError: EXDEV for absolute links and for what leaves, ENOSYS where the call is missing.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    how = _OpenHow(flags, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)
    path = os.fsencode("/".join(parts) or ".")
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = int(libc.syscall(OPENAT2, folder, path, ctypes.byref(how), ctypes.sizeof(how)))
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return descriptor


def open_by_component(
    folder: int, root: str, parts: Sequence[str], flags: int, barred: Collection[FileId]
) -> int:
    """The same step by step: no step follows a link by itself, `..` goes back the way we came.

    Every folder on the way is held open, so what others rename meanwhile can't lead outside.
    """
    with ExitStack() as held:
        way = [_hold(held, os.open(".", STEP, dir_fd=folder), barred)]
        todo, links = deque(parts), 0
        while todo:
            part = todo.popleft()
            if part == "..":
                way.pop()
                if not way:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                continue
            try:
                opened = os.open(part, STEP if todo else flags | os.O_NOFOLLOW, dir_fd=way[-1])
            except OSError as error:
                target = _link_target(part, way[-1], error)
                links += 1
                if links > MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
                if target.startswith("/"):
                    del way[1:]
                todo.extendleft(reversed(_target_parts(target, root)))
                continue
            if not todo:
                return _checked(opened, barred)
            way.append(_hold(held, opened, barred))
        return os.open(".", flags, dir_fd=way[-1])


def path_parts(path: str) -> list[str]:
    """The components of a path, without empty ones and "."; ".." stays."""
    return [part for part in path.split("/") if part not in {"", "."}]


def file_id(descriptor: int) -> FileId:
    """Device and inode of an open file or folder."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _checked(descriptor: int, barred: Collection[FileId]) -> int:
    if file_id(descriptor) in barred:
        os.close(descriptor)
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    return descriptor


def _hold(held: ExitStack, descriptor: int, barred: Collection[FileId]) -> int:
    held.callback(os.close, _checked(descriptor, barred))
    return descriptor


def _link_target(part: str, folder: int, error: OSError) -> str:
    """Where the link `part` points; the opening's own error when it is no link."""
    try:
        return os.readlink(part, dir_fd=folder)
    except OSError:
        raise error from None


def _target_parts(target: str, root: str) -> list[str]:
    """A link's target as steps from its folder, or from the root for an absolute one below it."""
    parts = path_parts(target)
    if not target.startswith("/"):
        return parts
    start = path_parts(root)
    if parts[: len(start)] != start:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return parts[len(start) :]
