"""The safety net after a run: compacts a full context, and gives way to a message."""

import asyncio
import time
from datetime import timedelta

from django.utils import timezone

from agent.history import Conversation
from agent.phrases import Phrase
from compaction_app.models import SessionCompactionEvent
from compaction_app.policy import Outcome, Trigger
from sessions_app import claims
from sessions_app.assembly import Execution
from sessions_app.models import Claim
from sessions_app.run_loop import database

COOL_DOWN = timedelta(seconds=600)  # after a success
TIME_LIMIT_S = 180
GIVE_WAY_S = 5.0  # a cancel takes up to 2 s; then the message is refused like during any run
LOOK_EVERY_S = 0.05


async def keep_below_line(execution: Execution, conversation: Conversation) -> None:
    """Compact if it is due. The answer is stored and shown already; a failure is told, no more."""
    listener, gates = execution.listener, execution.gates
    if not gates.over_line(conversation) or await database(_cooling, listener.session_id):
        return
    await database(
        claims.settle, session_id=listener.session_id, execution_id=listener.execution_id
    )
    try:
        async with asyncio.timeout(TIME_LIMIT_S):
            await gates.idle(conversation)
    except TimeoutError:
        await listener.notice(
            "idle_compaction_timeout",
            Phrase("The compaction was stopped after %(seconds)s s.", seconds=TIME_LIMIT_S),
        )


def give_way(session_id: int) -> None:
    """Stop a run that has answered and only tidies up, so that a new message can be taken."""
    end = time.monotonic() + GIVE_WAY_S
    while _asked_to_stop(session_id) and time.monotonic() < end:
        time.sleep(LOOK_EVERY_S)


async def make_way(session_id: int) -> None:
    """The same on an event loop: waiting takes no thread from the run that must stop."""
    end = time.monotonic() + GIVE_WAY_S
    while await database(_asked_to_stop, session_id) and time.monotonic() < end:  # noqa: ASYNC110
        await asyncio.sleep(LOOK_EVERY_S)  # what is waited for is a row, which has no event


def _asked_to_stop(session_id: int) -> bool:
    """Whether such a run is there; it is asked to stop."""
    current = claims.current(session_id)
    if current is None or current.kind != Claim.Kind.SETTLING:
        return False
    if not current.cancel_requested:
        claims.request_cancel(session_id=session_id)
    return True


def _cooling(session_id: int) -> bool:
    recent = timezone.now() - COOL_DOWN
    return SessionCompactionEvent.objects.filter(
        session_id=session_id,
        trigger_mode=Trigger.IDLE.value,
        outcome=Outcome.COMPACTED.value,
        created_at__gte=recent,
    ).exists()
