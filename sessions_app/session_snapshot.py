"""The state of a session at one frame: what a page needs to go on from there without a replay."""

import time
from dataclasses import dataclass
from typing import Any

import orjson

from sessions_app import claims, partials
from sessions_app.claims import LiveClaim
from sessions_app.models import Claim, Frame, Session

ATTEMPTS = 3  # a session rarely gets a frame in the millisecond that a snapshot takes
COMPACTION_FRAMES = ("compaction_start", "compaction_end")
COMPACTION_LOOK_BACK = 1_000  # frames: while a run compacts it writes next to none


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where a socket goes on: the snapshot's data, then the stored frames after `cursor`.

    Deltas made until `taken_ns` (monotonic clock of this process) are in the snapshot's partial.
    """

    data: dict[str, Any]
    cursor: int
    taken_ns: int


def snapshot(session_id: int) -> dict[str, Any]:
    """The data of a `session_snapshot` frame. Raises Session.DoesNotExist."""
    return _steady(session_id)[0]


def resume(session_id: int, after: int | None) -> Resumption:
    """The snapshot, and where to go on for a client that has the frames up to `after` (None: none).

    An `after` that is negative, ahead, or so old that frames after it were pruned adds
    `reset: true`: the client starts from the snapshot. Raises Session.DoesNotExist.
    """
    data, taken_ns = _steady(session_id)
    head: int = data["seq"]
    if after is None or after == head:
        return Resumption(data, head, taken_ns)
    # Pruning takes the oldest only: if the next frame is there, so are all that follow.
    if 0 <= after < head and _frames(session_id).filter(seq=after + 1).exists():
        return Resumption(data, after, taken_ns)
    return Resumption({**data, "reset": True}, head, taken_ns)


def _frames(session_id: int) -> Any:
    return Frame.objects.filter(session_id=session_id)


def _steady(session_id: int) -> tuple[dict[str, Any], int]:
    """A snapshot during which no frame was committed, if that can be had."""
    for _ in range(ATTEMPTS):
        data, taken_ns = _take(session_id)
        sessions = Session.objects.filter(pk=session_id)
        if sessions.values_list("frame_seq", flat=True).get() == data["seq"]:
            break
    return data, taken_ns


def _take(session_id: int) -> tuple[dict[str, Any], int]:
    columns = ("phase", "frame_seq", "context_frame")
    row = Session.objects.values(*columns).get(pk=session_id)
    taken_ns = time.monotonic_ns()
    claim = claims.current(session_id)
    compacting = _compacting(session_id, row["frame_seq"], claim)
    # Rows first, then memory: a run voids its partial before it commits the message that replaces
    # it. In this order a text may be missing for a moment, and its frame follows; in the other one
    # it would be shown twice, as a message and as something that still streams.
    data = {
        "phase": row["phase"],
        "executionId": claim.execution_id if claim else None,
        "seq": row["frame_seq"],
        "partial": _partial(session_id, claim),
        "context": _context(row["context_frame"]),
        "pendingApprovals": [],
        "compacting": compacting,
    }
    return data, taken_ns


def _partial(session_id: int, claim: LiveClaim | None) -> dict[str, Any] | None:
    """What streams now: from memory if the run lives here, else as its process last stored it."""
    if claim is None:
        return None
    local = partials.get(session_id)
    if local is not None:
        partial = local.as_dict()
    else:
        partial = orjson.loads(claim.partial) if claim.partial else {}
    shown = any(partial.get(key) for key in ("text", "thinking", "toolCalls"))
    return partial if shown else None


def _context(text: str) -> dict[str, Any] | None:
    """The numbers pushed last; a manifest that was too large for its frame is null."""
    if not text:
        return None
    pushed = orjson.loads(text)
    return {key: pushed.get(key) for key in ("estimated", "actual", "manifest")}


def _compacting(session_id: int, head: int, claim: LiveClaim | None) -> bool:
    """Whether a compaction is under way, of its own or inside a run."""
    if claim is None:
        return False
    if claim.kind == Claim.Kind.COMPACTION:
        return True
    recent = _frames(session_id).filter(
        seq__gt=head - COMPACTION_LOOK_BACK,
        seq__lte=head,
        execution_id=claim.execution_id,
        type__in=COMPACTION_FRAMES,
    )
    last = recent.order_by("-seq").values_list("type", flat=True).first()
    return bool(last == COMPACTION_FRAMES[0])
