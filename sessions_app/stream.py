"""Frames as rows: appended with the change that they tell of, read back in order, pruned in the
end.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from agent.text import clean_json
from sessions_app import hub
from sessions_app.models import Claim, Frame, Session
from sessions_app.session_snapshot import snapshot

__all__ = [
    "Head",
    "NewFrame",
    "append",
    "delta_text",
    "frame_text",
    "heads",
    "prune",
    "rows",
    "snapshot",
    "stored_partials",
]

KEPT = timedelta(hours=24)  # frames of ended runs live at least as long
ROWS_CHARS = 1024 * 1024  # of frames read at once
IDS_A_QUERY = 500  # databases bound the parameters of one statement


@dataclass(frozen=True, slots=True)
class NewFrame:
    """A frame before it has its place: `data` as the protocol's table says, without executionId."""

    type: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Head:
    """Where a session's frames end, whose it is, and which execution is under way ("": none)."""

    seq: int
    owner_id: int
    execution_id: str


def frame_text(type_: str, session_id: int, seq: int | None, data: Mapping[str, Any]) -> str:
    """A server frame as it goes out: compact JSON, cleaned of lone surrogates."""
    frame = {"type": type_, "sessionId": session_id, "seq": seq, "data": data}
    try:
        return orjson.dumps(frame).decode()
    except orjson.JSONEncodeError:
        return orjson.dumps(clean_json(frame)).decode()


def delta_text(
    session_id: int, type_: str, delta: str, offset: int, request_id: int | None, execution_id: str
) -> str:
    """A `content_delta` or `thinking_delta`; `offset` = code points of the round before it."""
    data: dict[str, Any] = {"delta": delta, "offset": offset, "requestId": request_id}
    if execution_id:
        data["executionId"] = execution_id
    return frame_text(type_, session_id, None, data)


def append(session_id: int, frames: Sequence[NewFrame], *, execution_id: str = "") -> int:
    """Store frames in the caller's transaction; they are announced when it commits.

    Returns the seq of the last one. Raises TransactionManagementError outside of a transaction,
    Session.DoesNotExist without the session. The UPDATE locks the session's row until the commit,
    so that seqs become visible in their order and without gaps.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("stream.append needs an open transaction.")
    session = Session.objects.filter(pk=session_id)
    session.update(frame_seq=F("frame_seq") + len(frames))
    last: int = session.values_list("frame_seq", flat=True).get()
    extra = {"executionId": execution_id} if execution_id else {}
    Frame.objects.bulk_create(
        Frame(
            session_id=session_id,
            seq=seq,
            type=frame.type,
            execution_id=execution_id,
            text=frame_text(frame.type, session_id, seq, {**frame.data, **extra}),
        )
        for seq, frame in enumerate(frames, last - len(frames) + 1)
    )
    if frames:
        transaction.on_commit(partial(hub.announce, session_id, last))
    return last


def rows(session_id: int, *, after: int, upto: int, limit: int) -> list[tuple[int, str]]:
    """Stored frames after `after` and up to `upto`: (seq, text) in order.

    At most `limit`, and fewer where they are large: once they have `ROWS_CHARS`, there are no more.
    """
    frames = Frame.objects.filter(session_id=session_id, seq__gt=after, seq__lte=upto)
    columns = frames.order_by("seq").values_list("seq", "text")[:limit]
    found: list[tuple[int, str]] = []
    chars = 0
    for seq, text in columns.iterator(chunk_size=10):
        found.append((seq, text))
        chars += len(text)
        if chars >= ROWS_CHARS:
            break
    return found


def heads(session_ids: Sequence[int]) -> dict[int, Head]:
    """Where the frames of these sessions end; a session that is gone is not in the answer."""
    found: dict[int, Head] = {}
    for at in range(0, len(session_ids), IDS_A_QUERY):
        slice_ = Session.objects.filter(pk__in=session_ids[at : at + IDS_A_QUERY])
        columns = slice_.values_list("pk", "frame_seq", "owner_id", "claim__execution_id")
        for pk, seq, owner_id, execution_id in columns:
            found[pk] = Head(seq, owner_id, execution_id or "")
    return found


def stored_partials(session_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """What is streaming in other processes, in the shape of `Partial.as_dict`."""
    claims = Claim.objects.filter(session_id__in=list(session_ids)).exclude(partial="")
    return {pk: orjson.loads(text) for pk, text in claims.values_list("session_id", "partial")}


def prune() -> int:
    """Delete frames of ended runs older than 24 hours; returns how many.

    Always the oldest of a session, so that what is left has no gaps.
    """
    limit = timezone.now() - KEPT
    oldest = Frame.objects.filter(session=OuterRef("pk")).order_by("seq").values("created_at")[:1]
    due = Session.objects.annotate(oldest_at=Subquery(oldest)).filter(oldest_at__lt=limit)
    removed = 0
    for session_id, execution_id in due.values_list("pk", "claim__execution_id"):
        kept = Q(created_at__gte=limit)
        if execution_id:
            kept |= Q(execution_id=execution_id)
        frames = Frame.objects.filter(session_id=session_id)
        first_kept = frames.filter(kept).order_by("seq").values_list("seq", flat=True).first()
        old = frames if first_kept is None else frames.filter(seq__lt=first_kept)
        removed += old.delete()[0]
    return removed
