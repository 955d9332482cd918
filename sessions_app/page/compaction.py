"""What the session page shows of compactions: what goes on, what was done, what is counted."""

from dataclasses import dataclass

from compaction_app import selectors
from compaction_app.models import SessionCompactionReport
from compaction_app.words import outcome_words, trigger_words
from sessions_app.models import Session
from sessions_app.page.compaction_progress import Progress, progress
from sessions_app.page.past_compactions import Past, PastCompactions, past_compactions

LISTED = 20  # of the history at first; more by the page


@dataclass(frozen=True, slots=True)
class Listed:
    """A stretch of the history, newest first. `next`: id to go on below, None at its end."""

    events: tuple[Past, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class CompactionState:
    """Everything about a session's compactions, for the parts of the page."""

    past: PastCompactions
    progress: Progress
    report: SessionCompactionReport

    @property
    def history(self) -> Listed:
        """The newest events."""
        return listed(self.past)

    @property
    def last_act(self) -> dict[str, str]:
        """Trigger and outcome of the last one that was tried, in words; empty before it."""
        act = self.report.last_act
        if not act:
            return {}
        return {
            "trigger": trigger_words(act["trigger"]),
            "outcome": outcome_words(act["outcome"]),
        }


def compaction_state(session: Session) -> CompactionState:
    """As stored now, in a constant number of queries."""
    return CompactionState(
        past=past_compactions(session),
        progress=progress(session),
        report=selectors.report(session.pk),
    )


def listed(past: PastCompactions, *, before: int | None = None) -> Listed:
    """The newest events with an id below `before`."""
    rest = [one for one in past.all if before is None or one.event.pk < before]
    shown = tuple(rest[:LISTED])
    return Listed(shown, shown[-1].event.pk if len(rest) > LISTED else None)
