"""Presses Ctrl-C while the main thread waits."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from tests.sessions_app.running import wait_until


@contextmanager
def ctrl_c_when(condition: Callable[[], Any]) -> Iterator[None]:
    """Send SIGINT to this process once the condition holds."""

    def press() -> None:
        try:
            wait_until(condition)
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            connection.close()

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        thread.join()
