"""Reads for REST, pages and sockets. Everything starts from the owner."""

from datetime import datetime
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404

from compaction_app.models import SessionCompaction
from sessions_app.models import (
    AgentProfile,
    Message,
    ModelProfile,
    RequestLog,
    Session,
    ToolOutput,
)
from sessions_app.services.models import usable
from sessions_app.shapes import time_text


def session(*, user: User, session_id: int) -> Session:
    """The user's session, with its model.

    Raises Http404 if there is none, PermissionDenied if it is someone else's.
    """
    found = user.agent_sessions.select_related("model").filter(pk=session_id).first()
    if found is not None:
        return found
    if Session.objects.filter(pk=session_id).exists():
        raise PermissionDenied(f"Session {session_id} belongs to someone else.")
    raise Http404(f"There is no session {session_id}.")


def sessions(
    *,
    owner: User,
    after: tuple[datetime, int] | None = None,
    title: str = "",
    phase: str = "",
    limit: int,
) -> list[Session]:
    """Up to `limit` sessions of the owner, newest activity first, ties by higher id.

    `after` is (active_at, id) of the last row of the page before. Only those whose title holds
    `title` (any case) and that are in `phase`, where given.
    """
    rows = owner.agent_sessions.select_related("model")
    if title:
        rows = rows.filter(title__icontains=title)
    if phase:
        rows = rows.filter(phase=phase)
    if after is not None:
        moment, last_id = after
        earlier = Q(active_at__lt=moment) | Q(pk__lt=last_id)
        rows = rows.filter(earlier, active_at__lte=moment)
    return list(rows.order_by("-active_at", "-id")[:limit])


def messages(*, session: Session, before: int | None = None, limit: int) -> list[Message]:
    """Up to `limit` messages with an id below `before`, newest first."""
    rows = session.messages.all()
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return list(rows.order_by("-id")[:limit])


def boundary(session_id: int) -> int | None:
    """Id of the last compacted message, None before the first compaction."""
    found = SessionCompaction.objects.filter(session_id=session_id)
    return found.values_list("last_compacted_msg_id", flat=True).first()


def language(session_id: int) -> str:
    """The session's, empty when it is gone."""
    found = Session.objects.filter(pk=session_id)
    return found.values_list("language", flat=True).first() or ""


def tool_output(*, session: Session, message_id: int) -> dict[str, str]:
    """The whole output behind a cut result, as REST shows it. Raises Http404 if nothing was cut."""
    rows = ToolOutput.objects.filter(message__session=session, message__id=message_id)
    pieces = list(rows.select_related("message"))
    if not pieces:
        raise Http404(f"Message {message_id} of this session has no output that was cut.")
    message = pieces[0].message
    return {
        "toolCallId": message.tool_call_id,
        "toolName": message.tool_name,
        "output": "".join(piece.output for piece in pieces),
    }


def context(session: Session) -> dict[str, Any] | None:
    """The context as it was pushed last, None if nothing was."""
    if not session.context_frame:
        return None
    data = orjson.loads(session.context_frame)
    updated_at = session.context_updated_at
    return {
        "estimated": data["estimated"],
        "actual": data["actual"],
        "manifest": data.get("manifest"),
        "executionId": session.context_execution_id or None,
        "updatedAt": time_text(updated_at) if updated_at else None,
    }


def requests(*, session: Session, after: int | None = None, limit: int) -> list[RequestLog]:
    """Up to `limit` rows of the request log, newest first, with ids below `after`."""
    rows = session.requests.defer("parts")
    if after is not None:
        rows = rows.filter(pk__lt=after)
    return list(rows.order_by("-id")[:limit])


def request(*, session: Session, request_id: int) -> RequestLog:
    """One row of the request log. Raises Http404."""
    found = session.requests.filter(pk=request_id).first()
    if found is None:
        raise Http404(f"There is no request {request_id} in this session.")
    return found


def offered_models() -> list[ModelProfile]:
    """The models that a session can use now: enabled, and key or server known."""
    return [row for row in ModelProfile.objects.filter(enabled=True) if usable(row)]


def default_model(offered: list[ModelProfile]) -> ModelProfile | None:
    """What a new session gets: the row flagged so, else the environment's, else the rehearsal
    model.

    None only if nothing is offered.
    """
    order = [ModelProfile.Provider.OPENAI, ModelProfile.Provider.ANTHROPIC]
    flagged = [row for row in offered if row.default]
    environment = [
        row for kind in order for row in offered if row.from_environment and row.provider == kind
    ]
    rehearsal = [row for row in offered if row.provider == ModelProfile.Provider.REHEARSAL]
    return next(iter([*flagged, *environment, *rehearsal, *offered]), None)


def default_agent_profile(owner: User) -> AgentProfile | None:
    """The owner's default persona, else everyone's, else none."""
    flagged = AgentProfile.objects.filter(default=True)
    own = flagged.filter(owner=owner).first()
    return own or flagged.filter(owner=None).first()
