"""The round in progress: merges its deltas and keeps the partial that snapshots show."""

import asyncio
from dataclasses import dataclass, field

from agent.messages import StreamEvent, TextDelta, ThinkingDelta, ToolCall
from sessions_app import hub, partials, stream
from sessions_app.partials import Partial

MERGE_S = 0.04


@dataclass(slots=True)
class _Kind:
    """The text of one kind of delta, and how many characters of it have gone out."""

    type: str
    text: str = ""
    shown: int = 0


@dataclass
class LiveRound:
    """What a round has streamed. `seq` is the run's last frame: deltas stay behind it."""

    session_id: int
    execution_id: str
    seq: int = 0
    request_id: int | None = None
    _text: _Kind = field(default_factory=lambda: _Kind("content_delta"))
    _thinking: _Kind = field(default_factory=lambda: _Kind("thinking_delta"))
    _calls: tuple[ToolCall, ...] = ()
    _timer: asyncio.TimerHandle | None = None

    def begin(self, request_id: int) -> None:
        """A request was sent."""
        self.request_id = request_id
        self.void()

    def void(self) -> None:
        """Nothing of what was streamed stands: it was stored as a message, or is tried again."""
        self._text.text, self._text.shown = "", 0
        self._thinking.text, self._thinking.shown = "", 0
        self._show()

    def add(self, event: StreamEvent) -> None:
        """Take a delta; a timer or the next frame sends it."""
        if isinstance(event, TextDelta):
            self._text.text += event.text
        elif isinstance(event, ThinkingDelta):
            self._thinking.text += event.text
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(MERGE_S, self.flush)

    def flush(self) -> None:
        """Send what has not gone out yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not partials.speaks(self.session_id, self.execution_id):
            return
        self._show()  # first: a page that connects between the two must not miss it
        for kind in (self._thinking, self._text):
            if kind.shown < len(kind.text):
                self._send(kind)

    def call_started(self, call: ToolCall) -> None:
        """A call has no result yet."""
        self._calls += (call,)
        self._show()

    def call_finished(self, call: ToolCall) -> None:
        """A call has its result."""
        self._calls = tuple(other for other in self._calls if other is not call)
        self._show()

    def partial(self) -> Partial:
        """What a page that connects now must be shown of this round."""
        return Partial(self.request_id, self._text.text, self._thinking.text, self._calls)

    def _send(self, kind: _Kind) -> None:
        text = stream.delta_text(
            self.session_id,
            kind.type,
            kind.text[kind.shown :],
            kind.shown,
            self.request_id,
            self.execution_id,
        )
        kind.shown = len(kind.text)
        hub.delta(self.session_id, text, after_seq=self.seq)

    def _show(self) -> None:
        if partials.speaks(self.session_id, self.execution_id):
            partials.put(self.session_id, self.partial())
