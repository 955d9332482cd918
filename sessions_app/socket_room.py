"""The sockets of one session on one event loop: new frames are read once, for all of them."""

import asyncio
import logging
from typing import Protocol

from django.db import Error

from sessions_app import stream
from sessions_app.hub import Delta
from sessions_app.partial_relay import PartialRelay
from sessions_app.run_loop import database
from sessions_app.socket_auth import Admission

BATCH = 100  # rows a query
RECENT_CHARS = 256 * 1024  # of frames kept for sockets that are a little behind

log = logging.getLogger(__name__)


class Occupant(Protocol):
    """One socket in the room."""

    @property
    def admission(self) -> Admission:
        """Whom it was opened for."""
        ...

    @property
    def cursor(self) -> int | None:
        """The last frame sent; None while the socket is not placed."""
        ...

    @property
    def sending_since(self) -> float | None:
        """When the frame was begun that is being sent now, by the event loop's clock."""
        ...

    def wake(self) -> None:
        """There are new frames."""
        ...

    def take_delta(self, delta: Delta) -> None:
        """There is a delta."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Say what is to be said, then close."""
        ...

    def cut(self, code: int, reason: str) -> None:
        """Close at once."""
        ...


class Room:
    """Knows how far the session's frames go (`target`) and how far they were read (`shown`).

    Only announced frames are read: announcements overtake each other, and a frame is there for
    certain when it or a later one was announced.
    """

    def __init__(self, session_id: int) -> None:
        self.session_id = session_id
        self.occupants: set[Occupant] = set()
        self.relay = PartialRelay(session_id)
        self.shown: int | None = None  # None until the first socket is placed
        self._target = 0
        self._recent: dict[int, str] = {}  # seq -> text, the last of those shown
        self._recent_chars = 0
        self._reading: asyncio.Task[None] | None = None

    def frame(self, seq: int) -> str | None:
        """The text of a frame that was read lately."""
        return self._recent.get(seq)

    def placed(self, head: int) -> None:
        """A socket starts from a snapshot that was taken at `head`."""
        if self.shown is None:
            self.shown = head
        self.announced(head)

    def announced(self, seq: int) -> None:
        """Frames up to `seq` are committed; announced again, it restarts what failed."""
        self._target = max(self._target, seq)
        if self.shown is None or self.shown >= self._target:
            return
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read())

    def take_delta(self, delta: Delta) -> None:
        """Hand a delta to every socket; each sends it when its turn comes."""
        for occupant in self.occupants:
            occupant.take_delta(delta)

    def forget_what_all_have(self) -> None:
        """Free the memory of frames that nobody waits for."""
        if all(occupant.cursor == self.shown for occupant in self.occupants):
            self._recent.clear()
            self._recent_chars = 0

    async def _read(self) -> None:
        while self.shown is not None and self.shown < self._target:
            try:
                rows = await database(
                    stream.rows, self.session_id, after=self.shown, upto=self._target, limit=BATCH
                )
            except Error:
                log.exception("frames of session %s can't be read now", self.session_id)
                return
            if not rows:  # the session was deleted; its sockets are closed at the next look
                return
            for seq, text in rows:
                self._recent[seq] = text
                self._recent_chars += len(text)
            self.shown = rows[-1][0]
            self._trim()
            for occupant in self.occupants:
                occupant.wake()

    def _trim(self) -> None:
        """The last frame stays in any case, so that nobody who keeps up must ask the database."""
        while self._recent_chars > RECENT_CHARS and len(self._recent) > 1:
            oldest = next(iter(self._recent))
            self._recent_chars -= len(self._recent.pop(oldest))
