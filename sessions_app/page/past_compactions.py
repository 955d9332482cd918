"""The compactions that a session has behind it: which are in force, and what they folded away."""

from collections.abc import Sequence
from dataclasses import dataclass

from compaction_app.models import SessionCompactionEvent
from compaction_app.policy import UNDONE, Outcome
from compaction_app.words import outcome_words, trigger_words
from sessions_app.models import Session

REMEMBERED = 200  # newest events that the page looks at
FOLDS = 20  # newest compactions in force that have a divider on the first page
TOLD = {Outcome.FAILED.value, UNDONE}  # those with a line of their own in the conversation


@dataclass(frozen=True, slots=True)
class Past:
    """One event; `undone`: it was taken back since."""

    event: SessionCompactionEvent
    undone: bool = False

    @property
    def trigger(self) -> str:
        """Why, in words."""
        return trigger_words(self.event.trigger_mode)

    @property
    def outcome(self) -> str:
        """How it ended, in words."""
        return outcome_words(self.event.outcome)

    @property
    def compacted(self) -> bool:
        """Whether it put a summary in force, taken back or not."""
        return self.event.outcome == Outcome.COMPACTED.value

    @property
    def after(self) -> int:
        """Id of the message before the first one that it folded away; 0 at the beginning."""
        return self.event.prev_boundary_msg_id or 0

    @property
    def before(self) -> int:
        """Id that all messages it folded away stay below."""
        return (self.event.boundary_msg_id or 0) + 1


@dataclass(frozen=True, slots=True)
class PastCompactions:
    """Newest first."""

    all: tuple[Past, ...] = ()

    @property
    def in_force(self) -> list[Past]:
        """Those whose boundary holds, the oldest first: each begins where the one before ended."""
        return [past for past in reversed(self.all) if past.compacted and not past.undone]

    @property
    def last(self) -> Past | None:
        """The one whose summary the model reads now."""
        return next(iter(self.in_force[-1:]), None)

    @property
    def boundary(self) -> int:
        """Id of the last compacted message, 0 for none."""
        return self.last.before - 1 if self.last else 0

    @property
    def folds(self) -> list[Past]:
        """Those with a divider on the first page, the oldest first."""
        return self.in_force[-FOLDS:]

    @property
    def told(self) -> list[Past]:
        """What went wrong or was taken back, the oldest first."""
        return [past for past in reversed(self.all) if past.event.outcome in TOLD]

    @property
    def dividers(self) -> dict[int, Past]:
        """The compactions in force by their boundary."""
        return {past.before - 1: past for past in self.in_force}


def past_compactions(session: Session, *, limit: int | None = REMEMBERED) -> PastCompactions:
    """The session's newest events, at most `limit`; their summary texts stay in the database."""
    events = SessionCompactionEvent.objects.filter(session=session).defer("summary_text")
    return PastCompactions(marked(list(events.order_by("-id")[:limit])))


def marked(newest_first: Sequence[SessionCompactionEvent]) -> tuple[Past, ...]:
    """An undo takes back the newest compaction before it that is still in force."""
    undos = 0
    found = []
    for event in newest_first:
        undone = event.outcome == Outcome.COMPACTED.value and undos > 0
        undos += (event.outcome == UNDONE) - undone
        found.append(Past(event, undone))
    return tuple(found)
