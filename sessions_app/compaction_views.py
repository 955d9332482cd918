"""Compaction on the session page: its forms for browsers without scripts, and what opens on demand.

With scripts the forms go to REST, which does the same.
"""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from agent.errors import AgentError
from compaction_app.models import SessionCompactionEvent
from sessions_app import compactions, runs, selectors
from sessions_app.api.inputs import CompactInput
from sessions_app.models import Session
from sessions_app.page import parts
from sessions_app.page.answers import private, row_id
from sessions_app.page.compaction import listed
from sessions_app.page.past_compactions import past_compactions
from sessions_app.page.texts import refusal


@login_required
@require_POST
def compact(request: HttpRequest, session_id: int) -> HttpResponse:
    """Compact now, with the form's focus and tier."""
    session = _session(request, session_id)
    filled = {key: request.POST.get(key, "") for key in ("instructions", "tier")}
    given = CompactInput(data={key: value for key, value in filled.items() if value})
    if not given.is_valid():
        return refused(request, session, " ".join(map(str, given.errors.values())), status=400)
    try:
        compactions.request(session_id=session.pk, **given.validated_data)
    except AgentError as error:
        return refused(request, session, refusal(error), status=409)
    return _back(session)


@login_required
@require_POST
def undo(request: HttpRequest, session_id: int) -> HttpResponse:
    """Take the last compaction back."""
    session = _session(request, session_id)
    try:
        compactions.undo(session_id=session.pk)
    except AgentError as error:
        return refused(request, session, refusal(error), status=409)
    return _back(session)


@login_required
@require_POST
def stop(request: HttpRequest, session_id: int) -> HttpResponse:
    """Stop what is in progress."""
    session = _session(request, session_id)
    runs.cancel(session_id=session.pk)
    return _back(session)


@login_required
@require_GET
def summary(request: HttpRequest, session_id: int, event_id: int) -> HttpResponse:
    """The summary of one compaction: a page, or with `?part` the piece of it that scripts load."""
    session = _session(request, session_id)
    event = get_object_or_404(SessionCompactionEvent, session=session, pk=event_id)
    name = "summary" if "part" in request.GET else "summary_page"
    context = {"session": session, "event": event}
    return private(render(request, f"sessions/compaction/{name}.html", context))


@login_required
@require_GET
def folded_messages(request: HttpRequest, session_id: int) -> HttpResponse:
    """Compacted messages with ids above `after` and below `before`, the newest page of them."""
    session = _session(request, session_id)
    after, before = row_id(request, "after"), row_id(request, "before")
    if after is None or before is None:
        return HttpResponseBadRequest("after and before must be ids of messages; after may be 0.")
    stretch = parts.newest(session, past_compactions(session), after=after, before=before)
    context = {"session": session, "stretch": stretch, "after": after}
    return private(render(request, "sessions/compaction/folded.html", context))


@login_required
@require_GET
def compaction_history(request: HttpRequest, session_id: int) -> HttpResponse:
    """The compactions before the event with id `before`. For the page's scripts."""
    session = _session(request, session_id)
    before = row_id(request, "before")
    if before is None:
        return HttpResponseBadRequest("before must be the id of a compaction.")
    history = listed(past_compactions(session, limit=None), before=before)
    context = {"session": session, "history": history}
    return private(render(request, "sessions/compaction/history.html", context))


def _session(request: HttpRequest, session_id: int) -> Session:
    return selectors.session(user=cast(User, request.user), session_id=session_id)


def _back(session: Session) -> HttpResponse:
    return redirect(reverse("session_page", args=[session.pk]) + "#context")


def refused(
    request: HttpRequest, session: Session, reason: str, *, status: int, unsent: str = ""
) -> HttpResponse:
    """A page that says why something asked for by a form was not done.

    A message that was not sent stands on it, to be sent again.
    """
    context = {"session": session, "reason": reason, "unsent": unsent}
    return render(request, "sessions/compaction/refused.html", context, status=status)
