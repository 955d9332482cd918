"""When a tool's thread must stop: its time is up or its call was cancelled."""

import threading
import time


class Deadline:
    """`seconds` from now, or the moment `cancelled` is set, whichever comes first."""

    def __init__(self, seconds: float, cancelled: threading.Event) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._cancelled = cancelled

    @property
    def reason(self) -> str:
        """Why to stop now; empty while there is time."""
        if self._cancelled.is_set():
            return "cancelled"
        if time.monotonic() >= self._end:
            return f"stopped after {self._seconds:g} s"
        return ""
