"""Reads what one view of a conversation needs, in a constant number of queries."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import orjson
from django.db.models import QuerySet

from sessions_app import claims
from sessions_app.models import Frame, Message, Run, Session
from sessions_app.page.entries import Incident, Material, Outcome
from sessions_app.page.past_compactions import PastCompactions
from sessions_app.page.proposed import proposed

PAGE_MESSAGES = 50
RECENT_FRAMES = 500  # how far back incidents are looked for; older frames may be pruned anyway
MAX_INCIDENTS = 50
INCIDENTS = ("notice", "llm_retry")
NO_COMPACTIONS = PastCompactions()
TOLD_BY_OUTCOME = {"run_interrupted"}  # notices that the run's end says again


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of a session's messages. `earlier`: there are messages before it; `later`: after
    it.
    """

    material: Material
    earlier: bool
    later: bool


def latest(
    session: Session, past: PastCompactions, *, after: int = 0, before: int | None = None
) -> Slice:
    """The newest messages of those with an id above `after` and below `before`."""
    messages = Message.objects.filter(session=session, pk__gt=after)
    if before is not None:
        messages = messages.filter(pk__lt=before)
    newest = list(messages.order_by("-id")[: PAGE_MESSAGES + 1])
    rows = newest[:PAGE_MESSAGES][::-1]
    start = rows[0].pk if rows else after + 1
    material = _material(session, rows, start=start, past=past)
    return Slice(material, earlier=len(newest) > PAGE_MESSAGES, later=before is not None)


def following(session: Session, past: PastCompactions, *, after: int) -> Slice:
    """The messages after the one with this id, the oldest first; none that is compacted."""
    after = max(after, past.boundary)
    messages = Message.objects.filter(session=session, pk__gt=after)
    oldest = list(messages.order_by("id")[: PAGE_MESSAGES + 1])
    rows = oldest[:PAGE_MESSAGES]
    material = _material(session, rows, start=after + 1, past=past)
    return Slice(material, earlier=True, later=len(oldest) > PAGE_MESSAGES)


def single(session: Session, message: Message) -> Material:
    """One message, whole, with what pairs it."""
    material = _material(session, [message], start=message.pk, past=NO_COMPACTIONS)
    return replace(material, whole=True)


def rounds(session: Session, *, before: int | None = None) -> int:
    """Responses so far of the run that is the last one, or was when the message `before` came."""
    messages = Message.objects.filter(session=session)
    if before is not None:
        messages = messages.filter(pk__lt=before)
    asked = messages.filter(role=Message.Role.USER).order_by("-id")
    begun = asked.values_list("pk", flat=True).first() or 0
    return messages.filter(role=Message.Role.ASSISTANT, pk__gt=begun).count()


def _material(
    session: Session, rows: list[Message], *, start: int, past: PastCompactions
) -> Material:
    rows = [*_context(session, start), *rows]
    executions = {row.execution_id for row in rows}
    live = claims.current(session.pk)
    return Material(
        rows=rows,
        start=start,
        rounds_before=rounds(session, before=rows[0].pk) if rows else 0,
        outcomes=_outcomes(session, executions),
        incidents=_incidents(session, executions),
        live=live.execution_id if live else "",
        proposed=proposed(session, rows),
        compactions=past.told,
    )


def _context(session: Session, start: int) -> "QuerySet[Message] | list[Message]":
    """The message before `start` and what it belongs to: the response whose calls it answers."""
    earlier = Message.objects.filter(session=session, pk__lt=start)
    head = (
        earlier.exclude(role=Message.Role.TOOL).order_by("-id").values_list("pk", flat=True).first()
    )
    return earlier.filter(pk__gte=head).order_by("id") if head else []


def _outcomes(session: Session, executions: Iterable[str]) -> dict[str, Outcome]:
    runs = Run.objects.filter(session=session, execution_id__in=executions)
    return {
        execution: Outcome(phase, error)
        for execution, phase, error in runs.values_list("execution_id", "phase", "error")
    }


def _incidents(session: Session, executions: Iterable[str]) -> list[Incident]:
    frames = Frame.objects.filter(
        session=session,
        seq__gt=session.frame_seq - RECENT_FRAMES,
        type__in=INCIDENTS,
        execution_id__in=executions,
    ).order_by("seq")[:MAX_INCIDENTS]
    incidents = [
        Incident(frame.execution_id, frame.type, orjson.loads(frame.text)["data"], frame.created_at)
        for frame in frames
    ]
    return [one for one in incidents if one.data.get("code") not in TOLD_BY_OUTCOME]
