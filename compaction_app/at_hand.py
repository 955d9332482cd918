"""The request at hand: what the next one of a run would be now, its notes included. Pure."""

from dataclasses import dataclass

from agent.history import Conversation
from agent.occupancy import Occupancy
from agent.request import ModelRequest, RequestBuilder
from compaction_app.policy import line
from compaction_app.teaching import Level, Teaching


@dataclass(frozen=True, slots=True)
class RequestAtHand:
    """The one place that says how full the context is. Whoever decides by it, shows it or keeps it
    as the size before or after a compaction counts the same.
    """

    builder: RequestBuilder
    occupancy: Occupancy
    teaching: Teaching
    ratio: float  # of the window: the line

    @property
    def window(self) -> int | None:
        """The session model's, in tokens; None = unknown."""
        return self.builder.spec.window_tokens

    @property
    def line(self) -> int | None:
        """From so many active tokens on automatic compactions act; None without a window."""
        return line(self.window, self.ratio)

    def build(self, conversation: Conversation) -> ModelRequest:
        """The request, as it would be sent now."""
        return self.builder.build(conversation, notes=self.notes(conversation))

    def active(self, conversation: Conversation, notes: str | None = None) -> int:
        """Active tokens; `notes` saves writing them again where they are known."""
        if notes is None:
            notes = self.notes(conversation)
        estimated = self.builder.estimate(conversation, notes=notes)
        return self.occupancy.active(estimated, conversation.history)

    def floor(self, notes: str) -> int:
        """Active tokens of what no compaction removes: prompt, tools, notes."""
        tokens = self.builder.floor + self.builder.notes_tokens(notes)
        return round(tokens * self.occupancy.calibration)

    def notes(self, conversation: Conversation, *, sending: bool = False) -> str:
        """Brief, card and receipt; `sending` says that a request goes out with them."""
        level = Level(
            active=self.active(conversation, notes=""),
            above=conversation.history.tokens,
            window=self.window,
            line=self.line,
        )
        return self.teaching.notes(level, sending=sending)
