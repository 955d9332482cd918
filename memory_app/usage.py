"""Reads where memories went: requests that carried them, and what that cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, OuterRef, Subquery, Sum

from memory_app.identity import sha256
from memory_app.models import MemoryItem, MemoryUse


@dataclass(frozen=True, slots=True)
class Usage:
    """What one memory's requests add up to; tokens are an estimate, once for each request."""

    requests: int
    sessions: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """The same of one session, and when its last such request was made."""

    session_id: int
    requests: int
    tokens: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Carried:
    """A memory that a session's requests carried, as it is now.

    `changed`: its content is another one than the last of those requests had.
    """

    id: int
    content: str
    status: str
    changed: bool


def usage(*, owner_id: int, ids: Sequence[int]) -> dict[int, Usage]:
    """What each of the owner's memories was used; those never used are not there."""
    rows = MemoryUse.objects.filter(memory__owner_id=owner_id, memory_id__in=ids).order_by()
    sums = rows.values("memory_id").annotate(
        requests=Count("pk"), sessions=Count("session_id", distinct=True), spent=Sum("tokens")
    )
    return {row["memory_id"]: Usage(row["requests"], row["sessions"], row["spent"]) for row in sums}


def sessions(*, memory_id: int, limit: int) -> list[SessionUsage]:
    """The sessions that carried a memory, the one of its newest request first, up to `limit`."""
    rows = MemoryUse.objects.filter(memory_id=memory_id).order_by()
    sums = rows.values("session_id").annotate(
        requests=Count("pk"), spent=Sum("tokens"), last_at=Max("created_at"), last_id=Max("pk")
    )
    return [
        SessionUsage(row["session_id"], row["requests"], row["spent"], row["last_at"])
        for row in sums.order_by("-last_id")[:limit]
    ]


def carried(*, owner_id: int, session_id: int, ids: Sequence[int]) -> dict[int, Carried]:
    """Those of the owner's memories among `ids` that are still there, in one query."""
    sent = MemoryUse.objects.filter(memory_id=OuterRef("pk"), session_id=session_id)
    last_hash = Subquery(sent.order_by("-id").values("content_hash")[:1])
    rows = MemoryItem.objects.filter(owner_id=owner_id, pk__in=ids).annotate(sent=last_hash)
    return {
        row.pk: Carried(
            row.pk, row.content, row.status, bool(row.sent) and row.sent != sha256(row.content)
        )
        for row in rows
    }
