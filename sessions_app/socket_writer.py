"""Sends one socket what it is due: replies at once, deltas and stored frames as they interleave."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from django.db import Error

from sessions_app import stream
from sessions_app.hub import Delta
from sessions_app.overlap import Overlap
from sessions_app.run_loop import database
from sessions_app.session_snapshot import Resumption
from sessions_app.socket_auth import Admission
from sessions_app.socket_room import BATCH, Room

MAX_DELTAS = 256  # waiting for one socket; ten seconds of a fast model
MAX_REPLIES = 256  # waiting for a client that asks and does not read
INTERNAL_ERROR = 1011
TOO_SLOW = 4408

log = logging.getLogger(__name__)

Send = Callable[[Any], Awaitable[None]]


class SocketWriter:
    """The only one that sends on its socket once that is open. Lives on the socket's event loop.

    Stored frames need no queue, they are rows: the writer knows the last one it sent (`cursor`) and
    asks for the next. A client that does not read holds up this writer and nobody else.
    """

    def __init__(
        self,
        room: Room,
        admission: Admission,
        send: Send,
        *,
        on_close: Callable[["SocketWriter"], None],
    ) -> None:
        self.room = room
        self.admission = admission
        self.cursor: int | None = None
        self.sending_since: float | None = None  # event loop's clock
        self.is_closing = False
        self._send = send
        self._on_close = on_close
        self._replies: list[str] = []
        self._deltas: deque[Delta] = deque()
        self._backlog: deque[tuple[int, str]] = deque()
        self._overlap: Overlap | None = None
        self._goodbye: tuple[int, str] | None = None
        self._work = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    # -- told by the consumer

    def reply(self, text: str) -> None:
        """Send this before anything else."""
        if len(self._replies) >= MAX_REPLIES:
            self.cut(TOO_SLOW, "too many answers wait to be read; connect again")
            return
        self._replies.append(text)
        self._work.set()

    def hold(self) -> None:
        """Send no frames until `place`; deltas are kept meanwhile."""
        self.cursor = None

    def place(self, resumption: Resumption, snapshot_text: str) -> None:
        """Send the snapshot, then what comes after its cursor."""
        if self.is_closing:
            return
        self.reply(snapshot_text)
        self.cursor = resumption.cursor
        self._backlog.clear()
        self._overlap = Overlap(resumption)
        waiting, self._deltas = self._deltas, deque()
        for delta in waiting:
            if delta.made_ns > resumption.taken_ns:  # the snapshot has the others
                self.take_delta(delta)
        self.room.placed(resumption.data["seq"])

    def close(self, code: int, reason: str) -> None:
        """Send the replies that wait, then close the socket."""
        self._goodbye = self._goodbye or (code, reason)
        self._leave()
        self._work.set()

    def cut(self, code: int, reason: str) -> None:
        """Close now, whatever is being sent."""
        self.close(code, reason)
        self._task.cancel()
        self._task = asyncio.create_task(self._say_goodbye())

    def stop(self) -> None:
        """The socket is gone."""
        self._leave()
        self._task.cancel()

    # -- told by the room

    def wake(self) -> None:
        """There are new frames."""
        self._work.set()

    def take_delta(self, delta: Delta) -> None:
        """Keep the delta for its turn. A queue that is full is emptied: the client sees the gap by
        the offset and asks again.
        """
        if self._overlap is not None and self.cursor is not None:
            remainder = self._overlap.remainder(delta)
            if self._overlap.is_over:
                self._overlap = None
            if remainder is None:
                return
            delta = remainder
        if len(self._deltas) >= MAX_DELTAS:
            self._deltas.clear()
        self._deltas.append(delta)
        self._work.set()

    # -- behind it

    def _leave(self) -> None:
        self.cursor = None
        if not self.is_closing:
            self.is_closing = True
            self._on_close(self)

    async def _run(self) -> None:
        try:
            await self._write()
        except OSError:  # what servers raise when the client has gone
            self._leave()
        except Error:
            log.exception("frames of session %s can't be read now", self.room.session_id)
            self.close(INTERNAL_ERROR, "internal error; connect again")
            await self._say_goodbye()

    async def _write(self) -> None:
        while True:
            text = self._next()
            if text is not None:
                self.sending_since = asyncio.get_running_loop().time()
                await self._send({"type": "websocket.send", "text": text})
                self.sending_since = None
            elif self._goodbye is not None:
                await self._say_goodbye()
                return
            elif self._is_behind():
                await self._catch_up()
            else:
                self._work.clear()
                await self._work.wait()

    def _next(self) -> str | None:
        """What is due now. A delta goes before the first frame that came after it."""
        if self._replies:
            return self._replies.pop(0)
        if self.cursor is None:
            return None
        if self._deltas and self._deltas[0].after_seq <= self.cursor:
            return self._deltas.popleft().text
        seq = self.cursor + 1
        text = self._backlog.popleft()[1] if self._backlog else self.room.frame(seq)
        if text is not None:
            self.cursor = seq
        return text

    def _is_behind(self) -> bool:
        """Whether the next frame was read by the room, too long ago for it to have it still."""
        shown = self.room.shown
        return self.cursor is not None and shown is not None and self.cursor < shown

    async def _catch_up(self) -> None:
        after, shown = self.cursor, self.room.shown
        if after is None or shown is None:
            return
        rows = await database(
            stream.rows, self.room.session_id, after=after, upto=shown, limit=BATCH
        )
        if self.cursor != after:  # placed elsewhere meanwhile
            return
        if not rows or rows[0][0] != after + 1:
            self.close(TOO_SLOW, "frames were pruned meanwhile; connect again")
        self._backlog.extend(rows)

    async def _say_goodbye(self) -> None:
        """Close, which some servers do only when the client has read what came before."""
        code, reason = self._goodbye or (INTERNAL_ERROR, "")
        try:
            await self._send({"type": "websocket.close", "code": code, "reason": reason})
        except OSError:
            log.info("session %s: the client left before it was closed", self.room.session_id)
