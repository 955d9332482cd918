"""What a session's pages are shown, for a command that waits in its main thread."""

import asyncio
import queue
import signal
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import orjson
from django.db import close_old_connections

from sessions_app import hub, interruption, partials, run_loop, session_snapshot, stream
from sessions_app.hub import Delta
from sessions_app.partial_relay import PartialRelay

LOOK_S = 1.0  # how often it looks for frames of other processes, which nobody announces here
ROWS = 100  # a query

Frame = dict[str, Any]


class Feed:
    """Stored frames in order, deltas between them; used as a context manager, by one thread.

    `snapshot` is the session as it was when the feed began. It is an `Ear` of the hub.
    """

    def __init__(self, session_id: int) -> None:
        self.session_id = session_id
        self.snapshot: dict[str, Any] = {}
        self.loop: asyncio.AbstractEventLoop = run_loop.start()
        self._cursor = 0  # the last stored frame that was taken
        self._head = 0  # the last one that is there
        self._rows: deque[str] = deque()
        self._deltas: deque[Delta] = deque()
        self._heard: queue.SimpleQueue[int | Delta | None] = queue.SimpleQueue()
        self._relay = PartialRelay(session_id)
        self._look_at = 0.0
        self._since_ns = 0  # deltas made before are in the snapshot

    def __enter__(self) -> "Feed":
        hub.attach(self)
        resumption = session_snapshot.resume(self.session_id, None)
        self.snapshot, self._cursor = resumption.data, resumption.cursor
        self._head, self._since_ns = resumption.cursor, resumption.taken_ns
        self._look_at = time.monotonic() + LOOK_S
        return self

    def __exit__(self, *_: object) -> None:
        hub.detach(self)

    # -- the ear, told from other threads

    def has_sockets_of(self, session_id: int) -> bool:
        """Whether anything said of this session would be heard."""
        return session_id == self.session_id

    def count_of(self, user_id: int) -> int:  # noqa: ARG002 - the port's
        """A terminal is no socket."""
        return 0

    def hear_announcement(self, session_id: int, seq: int) -> None:  # noqa: ARG002 - the port's
        """Stored frames up to `seq` are committed."""
        self._heard.put(seq)

    def hear_delta(self, session_id: int, delta: Delta) -> None:  # noqa: ARG002 - the port's
        """A delta is to be shown."""
        self._heard.put(delta)

    # -- taken by the command

    def take(self) -> Frame | None:
        """The next frame, waited for; None when Ctrl-C was pressed inside `interruptible`."""
        while (frame := self._next()) is None:
            try:
                heard = self._heard.get(timeout=max(0.0, self._look_at - time.monotonic()))
            except queue.Empty:
                self._look()
                continue
            if heard is None:
                return None
            self._hear(heard)
        return frame

    def drain(self) -> Iterator[Frame]:
        """The frames that are there by now."""
        self._look()
        while (frame := self._next()) is not None:
            yield frame

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, Ctrl-C ends the waiting of `take`; never in the middle of something."""

        def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the port's
            self._heard.put(None)

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _hear(self, heard: int | Delta) -> None:
        if isinstance(heard, int):
            self._head = max(self._head, heard)
        elif heard.made_ns > self._since_ns:
            self._deltas.append(heard)

    def _next(self) -> Frame | None:
        """What is due now. A delta goes before the first frame that came after it."""
        if self._deltas and self._deltas[0].after_seq <= self._cursor:
            delta: Frame = orjson.loads(self._deltas.popleft().text)
            return delta
        if not self._rows and self._cursor < self._head:
            found = stream.rows(self.session_id, after=self._cursor, upto=self._head, limit=ROWS)
            self._rows.extend(text for _, text in found)
        if not self._rows:
            return None
        frame: Frame = orjson.loads(self._rows.popleft())
        self._cursor = frame["seq"]
        return frame

    def _look(self) -> None:
        """What nobody told: frames and texts of other processes, executions that died."""
        self._look_at = time.monotonic() + LOOK_S
        close_old_connections()
        interruption.sweep(self.session_id)
        head = stream.heads([self.session_id]).get(self.session_id)
        if head is None:
            raise SessionDeleted(self.session_id)
        self._head = max(self._head, head.seq)
        if not head.execution_id or partials.get(self.session_id) is not None:
            return
        for partial in stream.stored_partials([self.session_id]).values():
            self._deltas.extend(
                self._relay.deltas(partial, execution_id=head.execution_id, after_seq=head.seq)
            )


class SessionDeleted(Exception):
    """The session that is being watched is gone."""

    def __init__(self, session_id: int) -> None:
        super().__init__(f"Session {session_id} was deleted.")
