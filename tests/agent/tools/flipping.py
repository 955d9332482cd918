"""An attacker who swaps a path while we read it, and what must never be seen."""

import threading
from pathlib import Path

SECRET = "SECRET-0c1e"


def flip(place: Path, one: Path, other: Path, end: threading.Event) -> None:
    """Let `place` be a copy of `one` and `other` in turn, until the end."""
    while not end.is_set():
        for target in (one, other):
            fresh = place.with_name("fresh")
            fresh.symlink_to(target)
            fresh.replace(place)
