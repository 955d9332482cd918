"""The claim row is the execution: take, fence, renew, flag and release are one conditional UPDATE
each.

Times are the database's clock in milliseconds. A claim is live while its lease runs; a lease more
than twice its length ahead (a clock that jumped back) counts as expired. Once its length would give
two winners.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression

from agent.errors import ClaimLost
from sessions_app import holder
from sessions_app.database_clock import DatabaseNow
from sessions_app.models import Claim

LIVE = Q(lease_until_ms__gte=DatabaseNow()) & Q(
    lease_until_ms__lte=DatabaseNow() + 2 * F("lease_ms")
)


@dataclass(frozen=True, slots=True)
class LiveClaim:
    """An execution in progress; `partial` is the JSON text of what it streams, or empty."""

    execution_id: str
    kind: str
    partial: str
    cancel_requested: bool


def _lease_ms() -> int:
    return round(settings.LEASE_S * 1000)


def _lease_end(lease_ms: int) -> CombinedExpression:
    return DatabaseNow() + lease_ms


def _own(session_id: int, execution_id: str) -> "QuerySet[Claim]":
    return Claim.objects.filter(session_id=session_id, execution_id=execution_id)


def take(*, session_id: int, execution_id: str, kind: str) -> bool:
    """Make the execution the session's only one; False if the claim is not free.

    An expired claim is not free: `interruption.sweep` frees it first, telling of the run that died.
    """
    lease_ms = _lease_ms()
    return bool(
        Claim.objects.filter(session_id=session_id, execution_id="").update(
            execution_id=execution_id,
            kind=kind,
            holder=holder.name(),
            lease_until_ms=_lease_end(lease_ms),
            lease_ms=lease_ms,
            cancel_requested=False,
            compact_requested=False,
            compact_instructions="",
            compact_tier="",
            partial="",
        )
    )


def fence(*, session_id: int, execution_id: str) -> None:
    """Renew the lease; must be the first statement of every write transaction of an execution.

    Raises ClaimLost when the row carries another id: whoever lost its claim writes nothing more. An
    UPDATE and not a read, because a plain read lets a late write through on MariaDB.
    """
    lease_ms = _lease_ms()
    renewed = _own(session_id, execution_id).update(
        lease_until_ms=_lease_end(lease_ms), lease_ms=lease_ms
    )
    if not renewed:
        raise ClaimLost(f"execution {execution_id} no longer holds session {session_id}")


def save_partial(*, session_id: int, execution_id: str, partial: str) -> None:
    """Renew the lease and keep what is streaming, for other processes. Raises ClaimLost."""
    lease_ms = _lease_ms()
    kept = _own(session_id, execution_id).update(
        lease_until_ms=_lease_end(lease_ms), lease_ms=lease_ms, partial=partial
    )
    if not kept:
        raise ClaimLost(f"execution {execution_id} no longer holds session {session_id}")


def take_compact_flag(*, session_id: int, execution_id: str) -> Claim | None:
    """Read the flag of a queued `compact_now`, once; the row with its instructions and tier, or
    None.
    """
    own = _own(session_id, execution_id)
    if not own.filter(compact_requested=True).update(compact_requested=False):
        return None
    return own.first()


def request_compaction(*, session_id: int, instructions: str, tier: str) -> str:
    """Flag the live run; its execution id, or empty if no run is live. Ten flags are one, the last
    wins.
    """
    kinds = [Claim.Kind.RUN, Claim.Kind.SETTLING]
    runs = Claim.objects.filter(LIVE, session_id=session_id, kind__in=kinds)
    flagged = runs.update(
        compact_requested=True, compact_instructions=instructions, compact_tier=tier
    )
    if not flagged:
        return ""
    row = Claim.objects.filter(session_id=session_id, compact_requested=True).first()
    return row.execution_id if row else ""


def settle(*, session_id: int, execution_id: str) -> None:
    """The run has answered; what it does from now on gives way to the next message. Raises
    ClaimLost.
    """
    if not _own(session_id, execution_id).update(kind=Claim.Kind.SETTLING):
        raise ClaimLost(f"execution {execution_id} no longer holds session {session_id}")


def release(*, session_id: int, execution_id: str) -> bool:
    """Free the claim; False while a compaction flag is unread. Raises ClaimLost when it is not
    ours.
    """
    own = _own(session_id, execution_id)
    if own.filter(compact_requested=False).update(**FREE):
        return True
    if own.exists():
        return False
    raise ClaimLost(f"execution {execution_id} no longer holds session {session_id}")


FREE = {
    "execution_id": "",
    "kind": "",
    "holder": "",
    "lease_until_ms": 0,
    "lease_ms": 0,
    "cancel_requested": False,
    "compact_requested": False,
    "compact_instructions": "",
    "compact_tier": "",
    "partial": "",
}


def request_cancel(*, session_id: int) -> bool:
    """Ask the live execution to stop; False if there is none."""
    return bool(
        Claim.objects.filter(LIVE, session_id=session_id)
        .exclude(execution_id="")
        .update(cancel_requested=True)
    )


def beat(*, session_id: int, execution_id: str, partial: str | None) -> bool:
    """Whether the execution is asked to stop; first `save_partial`, unless that is None. Raises
    ClaimLost.
    """
    if partial is not None:
        save_partial(session_id=session_id, execution_id=execution_id, partial=partial)
    flags = _own(session_id, execution_id).values_list("cancel_requested", flat=True)
    for is_cancelled in flags:
        return is_cancelled
    raise ClaimLost(f"execution {execution_id} no longer holds session {session_id}")


def current(session_id: int) -> LiveClaim | None:
    """The session's execution, None if free or dead."""
    row = Claim.objects.filter(LIVE, session_id=session_id).exclude(execution_id="").first()
    if row is None or holder.is_dead(row.holder):
        return None
    return LiveClaim(row.execution_id, row.kind, row.partial, row.cancel_requested)


def dead(session_id: int | None = None) -> list[Claim]:
    """Claims whose lease or whose holder on this machine has ended; of one session or of all."""
    taken = Claim.objects.exclude(execution_id="").annotate(now_ms=DatabaseNow())
    if session_id is not None:
        taken = taken.filter(session_id=session_id)
    return [row for row in taken if _expired(row, row.now_ms) or holder.is_dead(row.holder)]


def _expired(row: Claim, now_ms: int) -> bool:
    return not now_ms <= row.lease_until_ms <= now_ms + 2 * row.lease_ms


def bury(row: Claim) -> bool:
    """Free a dead claim, unless it was renewed or flagged since, or someone else was faster."""
    return bool(
        _own(row.session_id, row.execution_id)
        .filter(lease_until_ms=row.lease_until_ms, compact_requested=row.compact_requested)
        .update(**FREE)
    )
