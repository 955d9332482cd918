"""All sockets of one event loop, by session; other threads tell it what is new."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable

from django.conf import settings

from sessions_app import hub, socket_watch
from sessions_app.hub import Delta
from sessions_app.socket_auth import Admission, SocketRefused
from sessions_app.socket_room import Room
from sessions_app.socket_writer import Send, SocketWriter

TOO_MANY_SOCKETS = 4429


class SocketLoop:
    """The rooms of one event loop; attached to the hub while there are any.

    Its tasks live as long: one looks for what nobody told, one listens to other processes if there
    is a Redis.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._rooms: dict[int, Room] = {}
        self._users: Counter[int] = Counter()
        self._inbox: deque[Callable[[], None]] = deque()
        self._is_woken = False
        self._rooms_changed = asyncio.Event()
        self._tasks = [asyncio.create_task(socket_watch.watch(self._rooms))]
        if settings.REDIS_URL:
            from sessions_app import layer_link  # noqa: PLC0415 - loads redis, which few need

            listening = layer_link.listen(self._rooms, self._rooms_changed)
            self._tasks.append(asyncio.create_task(listening))
        hub.attach(self)

    @classmethod
    def current(cls) -> "SocketLoop":
        """The sockets of the running event loop."""
        ear = hub.attached_to(asyncio.get_running_loop())
        return ear if isinstance(ear, SocketLoop) else cls()

    # -- from any thread

    def has_sockets_of(self, session_id: int) -> bool:
        """Whether anything said of this session would be heard."""
        return session_id in self._rooms

    def count_of(self, user_id: int) -> int:
        """How many sockets this user has here."""
        return self._users[user_id]

    def hear_announcement(self, session_id: int, seq: int) -> None:
        """Stored frames up to `seq` are committed."""
        self._post(lambda: self._announced(session_id, seq))

    def hear_delta(self, session_id: int, delta: Delta) -> None:
        """A delta is to be sent."""
        self._post(lambda: self._delta(session_id, delta))

    def _post(self, work: Callable[[], None]) -> None:
        """Wake the loop once for all that came until it looks: waking costs a system call."""
        self._inbox.append(work)
        if self._is_woken:
            return
        self._is_woken = True
        try:
            self.loop.call_soon_threadsafe(self._empty_inbox)
        except RuntimeError:  # the loop was closed, and its sockets with it
            hub.detach(self)

    # -- on the loop

    def join(self, admission: Admission, send: Send) -> SocketWriter:
        """A writer for a new socket; it sends no frames before it is placed.

        Raises SocketRefused (4429) when the user has too many sockets in this process.
        """
        allowed = settings.MAX_SOCKETS_PER_USER
        if hub.sockets_of(admission.user_id) >= allowed:
            raise SocketRefused(TOO_MANY_SOCKETS, f"too many sockets; allowed: {allowed} a user")
        room = self._rooms.get(admission.session_id)
        if room is None:
            room = self._rooms[admission.session_id] = Room(admission.session_id)
            self._rooms_changed.set()
        writer = SocketWriter(room, admission, send, on_close=self._leave)
        room.occupants.add(writer)
        self._users[admission.user_id] += 1
        return writer

    def _leave(self, writer: SocketWriter) -> None:
        room = writer.room
        room.occupants.remove(writer)
        self._users[writer.admission.user_id] -= 1
        if not room.occupants:
            del self._rooms[room.session_id]
            self._rooms_changed.set()
        if not self._rooms:
            hub.detach(self)
            for task in self._tasks:
                task.cancel()

    def _empty_inbox(self) -> None:
        self._is_woken = False  # before looking: what comes from here on wakes the loop again
        while self._inbox:
            self._inbox.popleft()()

    def _announced(self, session_id: int, seq: int) -> None:
        if session_id in self._rooms:
            self._rooms[session_id].announced(seq)

    def _delta(self, session_id: int, delta: Delta) -> None:
        if session_id in self._rooms:
            self._rooms[session_id].take_delta(delta)
