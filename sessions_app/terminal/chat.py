"""A conversation in the terminal: what is typed starts runs, what happens is shown."""

from collections.abc import Callable
from typing import Any

from agent.errors import AgentError
from sessions_app import compactions, limits, runs
from sessions_app.models import Session
from sessions_app.terminal.feed import Feed
from sessions_app.terminal.screen import Screen

COMMANDS = "/compact [WHAT TO ATTEND TO], /quit"
GOES_ON = {Session.Phase.RUNNING.value, Session.Phase.WAITING_APPROVAL.value}


class LeftEarly(Exception):
    """Ctrl-C was pressed again."""

    def __init__(self) -> None:
        super().__init__("Left while it was being cancelled.")


class Chat:
    """One terminal on one session. `read` gives the next line typed; raises EOFError at the end."""

    def __init__(self, feed: Feed, screen: Screen, read: Callable[[], str]) -> None:
        self._feed = feed
        self._screen = screen
        self._read = read
        self._own: set[int] = set()  # messages that were typed here

    def run(self) -> None:
        """Until /quit or the end of the input. Raises LeftEarly, SessionDeleted."""
        self._screen.show_snapshot(self._feed.snapshot)
        if self._feed.snapshot["executionId"]:
            self._follow(self._feed.snapshot["executionId"])
        self._screen.level()
        while True:
            try:
                for frame in self._feed.drain():
                    self._show(frame)
                text = self._read().strip()
            except EOFError:
                return
            except KeyboardInterrupt:
                self._screen.line(f"Ctrl-D or /quit leaves. {COMMANDS}")
                continue
            if text == "/quit":
                return
            if text:
                self._do(text)

    def _do(self, text: str) -> None:
        command, _, rest = text.partition(" ")
        try:
            if command == "/compact":
                self._compact(rest.strip())
            elif command[0] == "/" and command[1:].isalpha():
                self._screen.line(f"{command} is not known; allowed: {COMMANDS}")
            elif problem := limits.too_long(text, limits.CONTENT_CHARS):
                self._screen.line(f"! {problem}")
            else:
                started = runs.start(session_id=self._feed.session_id, content=text)
                self._own.add(started.message_id)
                self._follow(started.execution_id)
                self._screen.level()
        except AgentError as refusal:
            self._screen.line(f"! {refusal.user_message}")

    def _compact(self, instructions: str) -> None:
        if problem := limits.too_long(instructions, limits.FOCUS_CHARS):
            self._screen.line(f"! {problem}")
            return
        accepted = compactions.request(session_id=self._feed.session_id, instructions=instructions)
        self._follow(accepted.execution_id)
        self._screen.level()

    def _follow(self, execution_id: str) -> None:
        """Show what happens until this execution ends; Ctrl-C cancels it."""
        cancelled = False
        with self._feed.interruptible():
            while True:
                frame = self._feed.take()
                if frame is not None:
                    self._show(frame)
                    if _ends(frame, execution_id):
                        return
                elif cancelled:
                    raise LeftEarly
                else:
                    cancelled = True
                    runs.cancel(session_id=self._feed.session_id)

    def _show(self, frame: dict[str, Any]) -> None:
        if frame["type"] != "user_message_saved" or frame["data"]["messageId"] not in self._own:
            self._screen.show(frame)


def _ends(frame: dict[str, Any], execution_id: str) -> bool:
    """Whether this is the last frame of the execution: of a run its phase, else its result."""
    data = frame["data"]
    if data.get("executionId") != execution_id:
        return False
    if frame["type"] == "session_status":
        return data["phase"] not in GOES_ON
    return frame["type"] == "compaction_result" and execution_id.startswith(compactions.PREFIX)
