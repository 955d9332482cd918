"""When to compact: active tokens against the line, and the guards of automatic ones; why it is
tried and how it may end. Pure.
"""

from dataclasses import dataclass
from enum import StrEnum


class Trigger(StrEnum):
    """Why a compaction was asked for; handed in by each caller, never derived."""

    REQUEST_START = "request_start"
    MID_LOOP = "mid_loop"
    IDLE = "idle"
    MANUAL = "manual"
    TOOL = "tool"
    OVERFLOW = "overflow"

    @property
    def forced(self) -> bool:
        """Asked for by someone, or by need: the threshold and the guards do not hold it back."""
        return self in {Trigger.MANUAL, Trigger.TOOL, Trigger.OVERFLOW}

    @property
    def wished(self) -> bool:
        """Asked for by someone: done also where it gains nothing."""
        return self in {Trigger.MANUAL, Trigger.TOOL}


class Outcome(StrEnum):
    """How a compaction ended."""

    COMPACTED = "compacted"
    NOTHING = "nothing_to_compact"
    FAILED = "failed"
    CONFLICT = "conflict"
    CANCELLED = "cancelled"


UNDONE = "undone"  # the outcome of an event that took a compaction back
SHARES = {"light": 0.08, "standard": 0.16, "heavy": 0.24}  # of the window, kept as it is
MINIMUM_GAIN = 0.10  # of the window: less than that was not worth it
MAX_BEFORE_REQUEST = 2


def line(window: int | None, ratio: float) -> int | None:
    """The line in tokens: floor(window x ratio). An unknown window has none."""
    return None if window is None else int(window * ratio)


@dataclass(frozen=True, slots=True)
class LastAutomatic:
    """How the session's last automatic compaction ended; `level` = active tokens then."""

    failed: bool
    saved_tokens: int
    level: int


@dataclass(frozen=True, slots=True)
class Situation:
    """What an automatic trigger decides on, in tokens. `floor` is what nothing removes."""

    active: int
    floor: int
    window: int | None
    line: int | None
    done_before_request: int = 0
    last: LastAutomatic | None = None


class Verdict(StrEnum):
    """What an automatic trigger does."""

    COMPACT = "compact"
    BELOW_LINE = "below_line"
    FLOOR_OVER_LINE = "floor_over_line"
    NOT_AGAIN = "not_again"


def verdict(situation: Situation) -> Verdict:
    """Whether an automatic trigger acts. Exactly at the line counts as reached."""
    if situation.line is None or situation.active < situation.line:
        return Verdict.BELOW_LINE
    if situation.floor >= situation.line:
        return Verdict.FLOOR_OVER_LINE
    if situation.done_before_request >= MAX_BEFORE_REQUEST or _too_soon(situation):
        return Verdict.NOT_AGAIN
    return Verdict.COMPACT


def _too_soon(situation: Situation) -> bool:
    """After a failure or a poor gain, wait until that much new content has come."""
    last = situation.last
    if last is None or situation.window is None:
        return False
    minimum = situation.window * MINIMUM_GAIN
    poor = last.failed or last.saved_tokens < minimum
    return poor and situation.active - last.level < minimum


def summary_limit(configured: int, *windows: int | None) -> int:
    """Most tokens of a summary: what is configured, at most a tenth of the session's window, and of
    that of the model which writes it.
    """
    return max(1, min([configured, *(window // 10 for window in windows if window is not None)]))
