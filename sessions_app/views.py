"""The pages: session list, session page, and the fragments that keep the latter live."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from compaction_app.words import tier_choices
from sessions_app import limits, selectors
from sessions_app.models import Session
from sessions_app.page import parts
from sessions_app.page.answers import private, row_id
from sessions_app.page.new_session import NewSession
from sessions_app.page.past_compactions import past_compactions
from sessions_app.page.session_list import listed, wanted
from sessions_app.page.texts import script_texts
from sessions_app.visible import visible

LIVE_PARTS = (
    "status",
    "context",
    "memories",
    "history",
    "requests",
    "compaction",
    "compactions",
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
    page = listed(owner, wanted(request.GET), after=row_id(request, "after"))
    context = {"form": form, "page": page, "phases": Session.Phase.choices}
    status = 400 if form.errors else 200
    return render(request, "sessions/list.html", context, status=status)


@login_required
@require_GET
def session_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """Conversation and inspector; `?before=ID` shows the messages before that one."""
    user = cast(User, request.user)
    session = selectors.session(user=user, session_id=session_id)
    before = row_id(request, "before")
    shown = parts.state(session, user, by_size=_by_size(request))
    context = {
        "session": session,
        "levels": Session.PermissionLevel.choices,
        "models": selectors.offered_models(),
        "state": shown,
        "stretch": parts.newest(session, shown.compaction.past, before=before),
        "before": before,
        "tiers": tier_choices(),
        "content_chars": limits.CONTENT_CHARS,
        "focus_chars": limits.FOCUS_CHARS,
        "texts": script_texts(),
    }
    return private(render(request, "sessions/session.html", context))


@login_required
@require_GET
def session_parts(request: HttpRequest, session_id: int) -> HttpResponse:
    """What changed since the message with id `after`: its followers, and the live parts. For the
    page's scripts, which also say up to where they show messages as compacted (`boundary`).
    """
    user = cast(User, request.user)
    session = selectors.session(user=user, session_id=session_id)
    after = row_id(request, "after")
    if after is None:
        return HttpResponseBadRequest("after must be the id of a message, or 0.")
    shown = parts.state(session, user, by_size=_by_size(request))
    past = shown.compaction.past
    undone = (row_id(request, "boundary") or 0) > past.boundary
    stretch = parts.newest(session, past) if undone else parts.following(session, past, after=after)
    return private(
        JsonResponse(
            {
                "seq": session.frame_seq,
                "title": visible(str(session)),
                "messages": stretch.html,
                "tail": stretch.tail,
                "later": stretch.later,
                "first": stretch.first,
                "afresh": undone,  # in place of all messages that the page shows
                "boundary": past.boundary,
                "folds": parts.folds(session, past),
                "parts": {name: parts.fragment(name, session, shown) for name in LIVE_PARTS},
            }
        )
    )


@login_required
@require_GET
def earlier_messages(request: HttpRequest, session_id: int) -> HttpResponse:
    """The messages before the one with id `before`. For the page's scripts."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    before = row_id(request, "before")
    if before is None:
        return HttpResponseBadRequest("before must be the id of a message.")
    past = past_compactions(session)
    after = past.boundary if before > past.boundary else 0
    stretch = parts.newest(session, past, after=after, before=before)
    return private(JsonResponse({"messages": stretch.html, "first": stretch.first}))


@login_required
@require_GET
def message_fragment(request: HttpRequest, session_id: int, message_id: int) -> HttpResponse:
    """One message whole, without the fold of the first page."""
    session = selectors.session(user=cast(User, request.user), session_id=session_id)
    message = get_object_or_404(session.messages, pk=message_id)
    return private(HttpResponse(parts.whole_message(session, message)))


def _by_size(request: HttpRequest) -> bool:
    """Whether the composition is to be listed with the largest part first."""
    return request.GET.get("sort") == "size"
