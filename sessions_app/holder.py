"""Who holds claims: one locked file per process; its death shows at once on its machine."""

import fcntl
import os
import threading
import uuid
from pathlib import Path

from django.conf import settings


def _folder() -> Path:
    folder: Path = settings.VAR / "holders"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class _Own:
    """The file of this process, made at first use and again after a fork."""

    pid = 0
    name = ""
    handle = -1


_making = threading.Lock()  # else two first executions at once wait for each other's file for ever


def name() -> str:
    """The holder name of this process; its file stays locked until the process ends."""
    with _making:
        if _Own.pid != os.getpid():
            _Own.name = uuid.uuid4().hex
            # Never closed: the lock must die with the process, not before. No child inherits it.
            _Own.handle = os.open(_folder() / _Own.name, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(_Own.handle, fcntl.LOCK_EX)
            _Own.pid = os.getpid()
        return _Own.name


def is_dead(holder: str) -> bool:
    """Whether the holder was a process of this machine that has ended.

    False also where nothing is known (a holder of another machine): then the lease decides.
    """
    try:
        handle = os.open(_folder() / holder, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def remove_dead(in_use: set[str]) -> None:
    """Delete the files of ended processes that no claim names any more."""
    for path in _folder().iterdir():
        if path.name not in in_use and is_dead(path.name):
            path.unlink(missing_ok=True)
