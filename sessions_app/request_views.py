"""The pages of the request log: the list, one request as it was sent, one part's whole text."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from sessions_app import selectors
from sessions_app.page.answers import private, row_id
from sessions_app.page.composition import composition
from sessions_app.page.history import CHARTED, chart, logged
from sessions_app.page.sent import sent, sent_text


@login_required
@require_GET
def request_list(request: HttpRequest, session_id: int) -> HttpResponse:
    """The requests of a session, newest first, `CHARTED` a page; `?before=ID` goes on."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    before = row_id(request, "before")
    found = logged(session, before=before)
    now = composition(session, ())
    context = {
        "session": session,
        "rows": found[:CHARTED],
        "chart": chart(session, found, line=now.line if now else None),
        "before": before,
    }
    return private(render(request, "sessions/requests.html", context))


@login_required
@require_GET
def request_page(request: HttpRequest, session_id: int, request_id: int) -> HttpResponse:
    """One model request: its composition, its parts, what changed since the one before."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    log = selectors.request(session=session, request_id=request_id)
    context = {"session": session, "sent": sent(session, log)}
    return private(render(request, "sessions/request.html", context))


@login_required
@require_GET
def request_part(request: HttpRequest, session_id: int, request_id: int, key: str) -> HttpResponse:
    """The whole text of one part of a request, as plain text."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    log = selectors.request(session=session, request_id=request_id)
    text = sent_text(session, log, key)
    if text is None:
        raise Http404(f"Request {request_id} has no part {key!r}.")
    return private(HttpResponse(text, content_type="text/plain; charset=utf-8"))
