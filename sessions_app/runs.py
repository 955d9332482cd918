"""Starts, runs and ends runs: where claim, context, loop and listener are put together."""

import logging
import uuid
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from agent.errors import ClaimLost, EventIdReused, SessionAlreadyRunning
from agent.messages import Message as CoreMessage
from agent.text import clean
from agent.tokens import TokenEstimator
from compaction_app.teaching import Teaching
from sessions_app import (
    claims,
    context,
    endings,
    idle,
    interruption,
    run_loop,
    stream,
    transactions,
)
from sessions_app.assembly import assemble
from sessions_app.models import Claim, Message, Run, Session
from sessions_app.outermost import work_to_its_end
from sessions_app.run_loop import database
from sessions_app.services import transcript
from sessions_app.shapes import message_shape
from sessions_app.stream import NewFrame

log = logging.getLogger(__name__)

LAST_CLICKS = 3  # compactions asked for while a run ends; a further one is dropped, and said so
TITLE_CHARS = 80  # of a first message that becomes the title of an untitled session


@dataclass(frozen=True, slots=True)
class Started:
    """A run that was started now, or by the same event before."""

    execution_id: str
    message_id: int


def start(*, session_id: int, content: str, event_id: str = "") -> Started:
    """Take the claim, save the user's message, begin the run: one transaction, then the run loop.

    Raises SessionAlreadyRunning, before anything is saved, and EventIdReused. The same event id
    with the same text, at any time, gives the run that it started first.
    """
    content = clean(content)
    session = Session.objects.select_related("model").get(pk=session_id)
    tokenizer = context.model_of(session).tokenizer
    tokens = TokenEstimator(tokenizer).message(CoreMessage("user", content))
    interruption.sweep(session_id)
    idle.give_way(session_id)
    execution_id = uuid.uuid4().hex

    def work() -> Started:
        taken = claims.take(session_id=session_id, execution_id=execution_id, kind=Claim.Kind.RUN)
        before = _started_by(session_id, event_id, content)
        if before is not None:
            if taken:
                claims.release(session_id=session_id, execution_id=execution_id)
            return before
        if not taken:
            raise SessionAlreadyRunning(_running(session_id))
        message = transcript.user_message_create(
            session_id=session_id,
            execution_id=execution_id,
            content=content,
            event_id=event_id,
            tokens=tokens,
            tokenizer=tokenizer,
        )
        _begin(message, event_id)
        transaction.on_commit(lambda: run_loop.submit(execute(session_id, execution_id)))
        return Started(execution_id, message.pk)

    return transactions.run(work)


def cancel(*, session_id: int) -> None:
    """Ask the session's execution to stop, which takes up to 2 s; without one nothing happens."""
    interruption.sweep(session_id)
    claims.request_cancel(session_id=session_id)


async def execute(session_id: int, execution_id: str) -> None:
    """One run from its claim to its end, which is stored and shown whatever happens."""
    run = _Run(session_id, execution_id)
    end = await work_to_its_end(session_id, execution_id, run.work())
    if end.how == "lost" or run.ended:
        return
    phase = Session.Phase.COMPLETED
    if not run.answered:
        phase = Session.Phase.CANCELLED if end.how == "cancelled" else Session.Phase.FAILED
    try:
        await run.end(phase, end.error, drop_flag=True)
    except ClaimLost:
        log.warning("run %s of session %s lost its claim at its end", execution_id, session_id)


@dataclass
class _Run:
    """What a run does, and how far it has come."""

    session_id: int
    execution_id: str
    answered: bool = False  # the model's answer is stored and shown
    ended: bool = False  # so is the end
    teaching: Teaching | None = None

    async def work(self) -> None:
        """Rounds until the answer, then the safety net; a click of the last moment is honoured."""
        execution = await database(assemble, self.session_id, self.execution_id)
        self.teaching = execution.loaded.teaching
        if execution.loaded.memory_error:
            await execution.listener.notice("memories_not_loaded", execution.loaded.memory_error)
        loop = execution.loop()
        await loop.run()
        self.answered = True
        await idle.keep_below_line(execution, loop.conversation)
        for _ in range(LAST_CLICKS):
            await self.end(Session.Phase.COMPLETED, "", drop_flag=False)
            if self.ended:
                return
            loop.conversation = await execution.gates.at_finish(loop.conversation)

    async def end(self, phase: Session.Phase, error: str, *, drop_flag: bool) -> None:
        """End it, unless a compaction flag is unread and not to be dropped. Raises ClaimLost."""
        if self.teaching is not None:
            await self.teaching.drop_intent()
        self.ended = await database(
            endings.end_run,
            session_id=self.session_id,
            execution_id=self.execution_id,
            phase=phase,
            error=error,
            drop_flag=drop_flag,
        )


def _running(session_id: int) -> str:
    current = claims.current(session_id)
    return current.execution_id if current else ""


def _started_by(session_id: int, event_id: str, content: str) -> Started | None:
    """The run that this event started before. Raises EventIdReused for another text."""
    key = transcript.event_key(event_id)
    if key is None:
        return None
    message = Message.objects.filter(session_id=session_id, event_key=key).first()
    if message is None:
        return None
    if message.content != content:
        raise EventIdReused(event_id)
    return Started(message.execution_id, message.pk)


def _begin(message: Message, event_id: str) -> None:
    """The rows and frames of a run's beginning."""
    session_id, now = message.session_id, timezone.now()
    Run.objects.create(session_id=session_id, execution_id=message.execution_id, message=message)
    Session.objects.filter(pk=session_id).update(
        phase=Session.Phase.RUNNING, active_at=now, updated_at=now
    )
    title = message.content.strip().split("\n")[0][:TITLE_CHARS]
    Session.objects.filter(pk=session_id, title="").update(title=title)
    saved: dict[str, object] = {"messageId": message.pk, "message": message_shape(message)}
    if event_id:
        saved["eventId"] = event_id
    frames = [
        NewFrame("user_message_saved", saved),
        NewFrame("session_status", {"phase": Session.Phase.RUNNING.value}),
    ]
    stream.append(session_id, frames, execution_id=message.execution_id)
