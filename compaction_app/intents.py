"""What models asked for and what became of it, per session, for as long as it matters. Pure."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

INTENT_TTL_S = 120.0


@dataclass(frozen=True, slots=True)
class Intent:
    """A wish to compact, with the tier that its call was told.

    `settled_at` is when its round's last result was in, None before: only then its age counts, so
    that a slow tool beside it does not make it lapse.
    """

    reason: str
    tier: str
    settled_at: float | None = None


@dataclass
class Intents:
    """The intents of all sessions of a process; used from threads and loops alike.

    Everything expired is swept at every look, whoever looks; `take_expired` says whose it was.
    """

    clock: Callable[[], float] = time.monotonic
    _intents: dict[int, Intent] = field(default_factory=dict)
    _expired: dict[int, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def register(self, session_id: int, intent: Intent) -> None:
        """Remember it; a later one takes the place of an earlier one."""
        with self._lock:
            self._sweep()
            self._intents[session_id] = intent

    def settle(self, session_id: int) -> None:
        """The round's last result is in: from now on the session's intent ages."""
        with self._lock:
            intent = self._intents.get(session_id)
            if intent is not None and intent.settled_at is None:
                self._intents[session_id] = replace(intent, settled_at=self.clock())

    def peek(self, session_id: int) -> Intent | None:
        """The session's intent, left where it is."""
        with self._lock:
            self._sweep()
            return self._intents.get(session_id)

    def take(self, session_id: int) -> Intent | None:
        """The session's intent, once."""
        with self._lock:
            self._sweep()
            return self._intents.pop(session_id, None)

    def take_expired(self, session_id: int) -> int:
        """How many intents of the session have expired since the last time this was asked."""
        with self._lock:
            self._sweep()
            return self._expired.pop(session_id, 0)

    def _sweep(self) -> None:
        now = self.clock()
        for session_id, intent in list(self._intents.items()):
            if intent.settled_at is not None and now - intent.settled_at > INTENT_TTL_S:
                del self._intents[session_id]
                self._expired[session_id] = self._expired.get(session_id, 0) + 1
