"""The pages: session list, session page, and the fragments that keep the latter live."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_GET, require_http_methods

from sessions_app import selectors
from sessions_app.models import Session
from sessions_app.page import parts
from sessions_app.page.new_session import NewSession
from sessions_app.page.session_list import listed
from sessions_app.page.texts import script_texts
from sessions_app.visible import visible

LIVE_PARTS = (
    "status",
    "context",
    "memories",
    "requests",
)  # each replaced as a whole when it changes


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def session_list(request: HttpRequest) -> HttpResponse:
    """The user's sessions, newest activity first, and the form that makes one."""
    owner = cast(User, request.user)
    form = NewSession(request.POST if request.method == "POST" else None, owner=owner)
    if request.method == "POST" and form.is_valid():
        session = form.create()
        if session is not None:
            return redirect("session_page", session.pk)
    context = {"form": form, "page": listed(owner, after=_id(request, "after"))}
    status = 400 if form.errors else 200
    return render(request, "sessions/list.html", context, status=status)


@login_required
@require_GET
def session_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """Conversation and inspector; `?before=ID` shows the messages before that one."""
    user = cast(User, request.user)
    session = selectors.session(user=user, session_id=session_id)
    before = _id(request, "before")
    context = {
        "session": session,
        "levels": Session.PermissionLevel.choices,
        "state": parts.state(session, user),
        "stretch": parts.newest(session, before=before),
        "before": before,
        "texts": script_texts(),
    }
    return _private(render(request, "sessions/session.html", context))


@login_required
@require_GET
def session_parts(request: HttpRequest, session_id: int) -> HttpResponse:
    """What changed since the message with id `after`: its followers, and the live parts. For the
    page's scripts.
    """
    user = cast(User, request.user)
    session = selectors.session(user=user, session_id=session_id)
    after = _id(request, "after")
    if after is None:
        return HttpResponseBadRequest("after must be the id of a message, or 0.")
    stretch = parts.following(session, after=after)
    shown = parts.state(session, user)
    return _private(
        JsonResponse(
            {
                "seq": session.frame_seq,
                "title": visible(str(session)),
                "messages": stretch.html,
                "tail": stretch.tail,
                "later": stretch.later,
                "parts": {name: parts.fragment(name, session, shown) for name in LIVE_PARTS},
            }
        )
    )


@login_required
@require_GET
def earlier_messages(request: HttpRequest, session_id: int) -> HttpResponse:
    """The messages before the one with id `before`. For the page's scripts."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    before = _id(request, "before")
    if before is None:
        return HttpResponseBadRequest("before must be the id of a message.")
    stretch = parts.newest(session, before=before)
    return _private(JsonResponse({"messages": stretch.html, "first": stretch.first}))


@login_required
@require_GET
def message_fragment(request: HttpRequest, session_id: int, message_id: int) -> HttpResponse:
    """One message whole, without the fold of the first page."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    message = get_object_or_404(session.messages, pk=message_id)
    return _private(HttpResponse(parts.whole_message(session, message)))


def _id(request: HttpRequest, name: str) -> int | None:
    """A row's id from the query, None if there is none or it is no whole number."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _private(response: HttpResponse) -> HttpResponse:
    """A conversation stays out of caches, the browser's own included."""
    patch_cache_control(response, no_store=True, private=True)
    return response
