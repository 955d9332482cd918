"""Tells the sockets of this process what is new, from whatever thread it happened in.

Each event loop that holds sockets attaches itself here. Telling never blocks and never raises; an
announcement that gets lost costs a second (`SocketLoop` looks for itself), not content.
"""

import asyncio
import threading
import time
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Delta:
    """A frame that is not stored. Sockets get it only after the stored frames up to `after_seq`.

    `made_ns` is the process's monotonic clock: the delta was in the partial from then on.
    """

    text: str
    after_seq: int
    made_ns: int


class Ear(Protocol):
    """The sockets of one event loop, as other threads may see them."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop on which they live."""
        ...

    def has_sockets_of(self, session_id: int) -> bool:
        """Whether anything said of this session would be heard."""
        ...

    def count_of(self, user_id: int) -> int:
        """How many sockets this user has here."""
        ...

    def hear_announcement(self, session_id: int, seq: int) -> None:
        """Stored frames up to `seq` are committed."""
        ...

    def hear_delta(self, session_id: int, delta: Delta) -> None:
        """A delta is to be sent."""
        ...


_lock = threading.Lock()
_ears: tuple[Ear, ...] = ()  # replaced whole, so that telling needs no lock


def announce(session_id: int, seq: int) -> None:
    """Stored frames of the session up to `seq` are there. Only after the commit."""
    announce_here(session_id, seq)
    if settings.REDIS_URL:
        from sessions_app import layer_link  # noqa: PLC0415 - loads redis, which few need

        layer_link.tell(session_id, seq)


def announce_here(session_id: int, seq: int) -> None:
    """The same, to the sockets of this process only."""
    for ear in _ears:
        if ear.has_sockets_of(session_id):
            ear.hear_announcement(session_id, seq)


def delta(session_id: int, frame_text: str, *, after_seq: int) -> None:
    """Send a frame that is not stored, behind the stored ones up to `after_seq`.

    What it brings must be in `partials` already, so that a page that connects now misses nothing.
    """
    made_ns = time.monotonic_ns()
    for ear in _ears:
        if ear.has_sockets_of(session_id):
            ear.hear_delta(session_id, Delta(frame_text, after_seq, made_ns))


def sockets_of(user_id: int) -> int:
    """How many sockets of this user are open in this process."""
    return sum(ear.count_of(user_id) for ear in _ears if not ear.loop.is_closed())


def attached_to(loop: asyncio.AbstractEventLoop) -> Ear | None:
    """The sockets of this loop, None if it has none."""
    return next((ear for ear in _ears if ear.loop is loop), None)


def attach(ear: Ear) -> None:
    """From now on the ear is told."""
    global _ears
    with _lock:
        _ears = (*(other for other in _ears if not other.loop.is_closed()), ear)


def detach(ear: Ear) -> None:
    """The ear has no sockets any more."""
    global _ears
    with _lock:
        _ears = tuple(other for other in _ears if other is not ear)
