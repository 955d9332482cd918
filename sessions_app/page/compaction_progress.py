"""What is going on with a session's compaction: waiting, at work, or how the last one ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from compaction_app.policy import UNDONE, Outcome, Trigger
from compaction_app.words import trigger_words
from sessions_app import claims
from sessions_app.claims import LiveClaim
from sessions_app.models import Claim, Frame, Session

START, END, QUEUED = "compaction_start", "compaction_end", "compaction_queued"
RESULT, UNDO = "compaction_result", "compaction_undone"
ENDS = {END, RESULT, UNDO}
LOOK_BACK = 1_000  # frames; what lies further back is history and stands in its tab
NEWEST = 12  # of these frames: more than one compaction and its neighbours write


@dataclass(frozen=True, slots=True)
class Told:
    """One of the frames above."""

    type: str
    execution_id: str
    data: dict[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """`state`: idle, queued, working, or an outcome of the last one. Sizes in tokens.

    `alone`: no run is around it, so that it can be stopped by itself. `queued`: a click waits for
    the end of this one. `at`: its start or its end.
    """

    state: str = "idle"
    trigger_mode: str = ""
    messages: int = 0
    tokens: int = 0
    saved: int = 0
    error: str = ""
    alone: bool = False
    queued: bool = False
    at: datetime | None = None

    @property
    def trigger(self) -> str:
        """Why, in words."""
        return trigger_words(self.trigger_mode)


def progress(session: Session) -> Progress:
    """As the claim's row and the stored frames tell it: the same for every page and reload."""
    rows = Frame.objects.filter(
        session=session,
        seq__gt=session.frame_seq - LOOK_BACK,
        type__in=[START, END, QUEUED, RESULT, UNDO],
    ).order_by("-seq")[:NEWEST]
    told = [
        Told(row.type, row.execution_id, orjson.loads(row.text)["data"], row.created_at)
        for row in rows
    ]
    return derived(told, claims.current(session.pk))


def derived(told: Sequence[Told], live: LiveClaim | None) -> Progress:
    """The state, from the frames (newest first) and the execution in progress."""
    own = [one for one in told if live and one.execution_id == live.execution_id]
    if live and (live.kind == Claim.Kind.COMPACTION or _first(own, START, END) == START):
        return _working(own, alone=live.kind == Claim.Kind.COMPACTION)
    if _waits(own):
        return Progress("queued")
    return _ended(told)


def _first(told: Iterable[Told], *types: str) -> str | None:
    return next((one.type for one in told if one.type in types), None)


def _waits(own: Iterable[Told]) -> bool:
    """Whether a click was queued and neither begun nor dropped since."""
    for one in own:
        if one.type == RESULT or one.data.get("triggerMode") == Trigger.MANUAL.value:
            return False
        if one.type == QUEUED:
            return True
    return False


def _working(own: Sequence[Told], *, alone: bool) -> Progress:
    start = next((one for one in own if one.type == START), None)
    if start is None:
        return Progress("working", Trigger.MANUAL.value, alone=alone)
    return Progress(
        "working",
        start.data["triggerMode"],
        messages=start.data["messageCount"],
        tokens=start.data["estimatedTokens"],
        alone=alone,
        queued=_waits(own),
        at=start.at,
    )


def _ended(told: Sequence[Told]) -> Progress:
    """The newest end; an idle compaction's result and its end frame are one."""
    newest = next((one for one in told if one.type in ENDS), None)
    if newest is None:
        return Progress()
    if newest.type == UNDO:
        return Progress(UNDONE, at=newest.at)
    since = [one for one in told if one.execution_id == newest.execution_id and one.at <= newest.at]
    start = next((one for one in since if one.type == START), None)
    end = next((one for one in since if one.type == END), newest)
    dropped = newest.type == RESULT and newest.data["outcome"] != end.data["outcome"]
    if dropped:
        return Progress(newest.data["outcome"], Trigger.MANUAL.value, at=newest.at)
    saved = end.data.get("savedTokens", 0)
    return Progress(
        newest.data["outcome"],
        start.data["triggerMode"] if start else Trigger.MANUAL.value,
        saved=saved if newest.data["outcome"] == Outcome.COMPACTED.value else 0,
        error=end.data.get("error", ""),
        at=newest.at,
    )
