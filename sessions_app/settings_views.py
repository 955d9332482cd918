"""The page that renames, changes and deletes a session; it works without scripts."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from agent.errors import SessionAlreadyRunning
from sessions_app import selectors
from sessions_app.models import Session
from sessions_app.page.answers import private
from sessions_app.page.session_settings import SessionSettings
from sessions_app.services import sessions


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def session_settings(request: HttpRequest, session_id: int) -> HttpResponse:
    """The settings of a session, and the way to delete it."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    form = SessionSettings(request.POST if request.method == "POST" else None, session=session)
    if request.method == "POST" and form.is_valid():
        form.save()
        return redirect("session_page", session.pk)
    return _page(request, session, form, status=400 if form.errors else 200)


@login_required
@require_POST
def session_delete(request: HttpRequest, session_id: int) -> HttpResponse:
    """Delete a session; `confirm` must say "yes". Refused while something runs."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    form = SessionSettings(session=session)
    if request.POST.get("confirm") != "yes":
        refusal = _("Nothing was deleted: confirm that the session shall be deleted.")
        return _page(request, session, form, status=400, refusal=refusal)
    try:
        sessions.delete(session=session)
    except SessionAlreadyRunning:
        refusal = _("Nothing was deleted: something runs in this session. Stop it first.")
        return _page(request, session, form, status=409, refusal=refusal)
    return redirect("session_list")


def _page(
    request: HttpRequest, session: Session, form: SessionSettings, *, status: int, refusal: str = ""
) -> HttpResponse:
    context = {
        "session": session,
        "form": form,
        "refusal": refusal,
        "messages_count": session.messages.count(),
    }
    return private(render(request, "sessions/settings.html", context, status=status))
