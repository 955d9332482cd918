"""`compact_now` and undo: by hand, while the session is idle or running."""

import logging
import time
from dataclasses import dataclass
from typing import Literal

from django.db import transaction

from agent.errors import ClaimLost, NothingToUndo, SessionAlreadyRunning
from agent.text import clean
from compaction_app import services
from compaction_app.compactor import Report
from compaction_app.gates import ManualRequest
from compaction_app.models import SessionCompaction
from compaction_app.policy import Outcome
from sessions_app import (
    claims,
    context,
    context_window,
    endings,
    interruption,
    run_loop,
    stream,
    transactions,
)
from sessions_app.assembly import assemble
from sessions_app.compaction_records import void_anchor
from sessions_app.models import Claim, Session
from sessions_app.outermost import work_to_its_end
from sessions_app.run_loop import database
from sessions_app.stream import NewFrame

log = logging.getLogger(__name__)

PREFIX = "manual_compact_"  # of the execution ids of idle compactions; milliseconds follow


@dataclass(frozen=True, slots=True)
class Accepted:
    """`queued`: the running execution does it after its round. `started`: it is done now."""

    status: Literal["started", "queued"]
    execution_id: str


def request(*, session_id: int, instructions: str = "", tier: str = "") -> Accepted:
    """Compact now: flag the run in progress, or start an idle compaction. Ten requests are one.

    An empty `tier` means the session's; a given one holds for this once. Raises
    Session.DoesNotExist, and SessionAlreadyRunning where something else holds the claim.
    """
    instructions = clean(instructions)
    Session.objects.only("pk").get(pk=session_id)
    interruption.sweep(session_id)

    def flag() -> str:
        return claims.request_compaction(
            session_id=session_id, instructions=instructions, tier=tier
        )

    def work() -> Accepted:
        running = flag()
        if not running:
            started = _start(session_id, ManualRequest(instructions, tier))
            if started is not None:
                return started
            running = flag()  # a run began between the two
        if running:
            queued = NewFrame("compaction_queued", {"queued": True})
            stream.append(session_id, [queued], execution_id=running)
            return Accepted("queued", running)
        current = claims.current(session_id)
        if current is None or current.kind != Claim.Kind.COMPACTION:
            raise SessionAlreadyRunning(current.execution_id if current else "")
        return Accepted("started", current.execution_id)

    return transactions.run(work)


def _start(session_id: int, manual: ManualRequest) -> Accepted | None:
    """Begin an idle compaction; None if the claim is not free."""
    execution_id = f"{PREFIX}{time.time_ns() // 1_000_000}"
    if not claims.take(
        session_id=session_id, execution_id=execution_id, kind=Claim.Kind.COMPACTION
    ):
        return None
    transaction.on_commit(lambda: run_loop.submit(execute(session_id, execution_id, manual)))
    return Accepted("started", execution_id)


async def execute(session_id: int, execution_id: str, manual: ManualRequest) -> None:
    """An idle compaction from its claim to its end. The session's phase stays as it is."""
    reports: list[Report] = []

    async def work() -> None:
        execution = await database(assemble, session_id, execution_id)
        reports.append(await execution.gates.by_hand(execution.loaded.conversation, manual))

    end = await work_to_its_end(session_id, execution_id, work())
    if end.how == "lost":
        return
    outcome = Outcome.CANCELLED if end.how == "cancelled" else Outcome.FAILED
    error = end.error
    if reports:
        outcome, error = reports[0].outcome, reports[0].error
    try:
        await database(
            endings.end_compaction,
            session_id=session_id,
            execution_id=execution_id,
            outcome=outcome,
            error=error,
            code=end.code,
        )
    except ClaimLost:
        log.warning("compaction %s lost its claim at its end", execution_id)


def undo(*, session_id: int) -> SessionCompaction | None:
    """Take the last compaction back; what is in force now, None for no summary any more.

    Raises SessionAlreadyRunning while anything is in progress, NothingToUndo.
    """
    interruption.sweep(session_id)
    execution_id = f"undo_{time.time_ns() // 1_000_000}"
    execution = assemble(session_id, execution_id)
    loaded = execution.loaded

    def work() -> SessionCompaction | None:
        if not claims.take(
            session_id=session_id, execution_id=execution_id, kind=Claim.Kind.COMPACTION
        ):
            current = claims.current(session_id)
            raise SessionAlreadyRunning(current.execution_id if current else "")
        if services.undo(session_id=session_id, execution_id=execution_id) is None:
            raise NothingToUndo
        now = SessionCompaction.objects.filter(session_id=session_id).first()
        data = {
            "boundaryMsgId": now.last_compacted_msg_id if now else None,
            "compactCount": now.compact_count if now else 0,
        }
        restored = context.conversation(loaded.session, loaded.builder.estimator)
        numbers = void_anchor(session_id, execution.gates.at_hand, restored)
        frames = [
            NewFrame("compaction_undone", data),
            context_window.push(session_id=session_id, execution_id=execution_id, numbers=numbers),
        ]
        stream.append(session_id, frames, execution_id=execution_id)
        claims.release(session_id=session_id, execution_id=execution_id)
        return now

    return transactions.run(work)
