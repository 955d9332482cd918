"""Sends what was written on the session page, for browsers without scripts."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from agent.errors import AgentError
from sessions_app import runs, selectors
from sessions_app.api.inputs import MessageInput
from sessions_app.compaction_views import refused
from sessions_app.page.texts import refusal


@login_required
@require_POST
def send(request: HttpRequest, session_id: int) -> HttpResponse:
    """Say something: starts a run. Forms send line ends as CR LF; the message has LF."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    content = request.POST.get("content", "").replace("\r\n", "\n")
    given = MessageInput(data={"content": content})
    if not given.is_valid():
        reason = " ".join(map(str, given.errors["content"]))
        return refused(request, session, reason, status=400, unsent=content)
    try:
        started = runs.start(session_id=session.pk, content=content)
    except AgentError as error:
        return refused(request, session, refusal(error), status=409, unsent=content)
    page = reverse("session_page", args=[session.pk])
    return redirect(f"{page}#message-{started.message_id}")
