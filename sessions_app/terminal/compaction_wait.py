"""Waits for the end of one compaction that was asked for, telling what happens."""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.management.base import CommandError

from compaction_app.policy import Trigger
from sessions_app import runs
from sessions_app.compactions import Accepted
from sessions_app.terminal import outcomes
from sessions_app.terminal.feed import Feed

INTERRUPTED = 130  # the exit code of whatever Ctrl-C ended


class CompactionWait:
    """One wait. `say` shows a line."""

    def __init__(self, feed: Feed, accepted: Accepted, say: Callable[[str], object]) -> None:
        self._feed = feed
        self._accepted = accepted
        self._say = say
        self._trigger = ""  # of the compaction that is under way
        self._stopped = False
        self._outcome = ""

    def outcome(self) -> str:
        """How it ended. Raises CommandError (exit code 130) when Ctrl-C ended it, or the wait."""
        if self._queued:
            self._say("A run is in progress; the compaction comes after its round.")
        while not self._outcome:
            frame = self._feed.take()
            if frame is None:
                self._stop()
            elif frame["data"].get("executionId") == self._accepted.execution_id:
                self._see(frame["type"], frame["data"])
        if self._stopped and self._outcome == "cancelled":
            raise CommandError("Cancelled; nothing was changed.", returncode=INTERRUPTED)
        return self._outcome

    @property
    def _queued(self) -> bool:
        return self._accepted.status == "queued"

    def _see(self, type_: str, data: Mapping[str, Any]) -> None:
        """A run may compact by itself too: only the end of a manual one is what was asked for."""
        if type_ == "compaction_start":
            self._trigger = data["triggerMode"]
            self._say(outcomes.started(data))
        elif type_ == "compaction_end":
            self._say(outcomes.ended(data))
            if self._queued and self._trigger == Trigger.MANUAL:
                self._outcome = data["outcome"]
        elif type_ == "compaction_result":
            self._outcome = data["outcome"]

    def _stop(self) -> None:
        if self._queued:
            raise CommandError("Not waited for; it stays queued.", returncode=INTERRUPTED)
        if self._stopped:
            raise CommandError("Left while it was being cancelled.", returncode=INTERRUPTED)
        self._stopped = True
        self._say("Cancelling ...")
        runs.cancel(session_id=self._feed.session_id)
