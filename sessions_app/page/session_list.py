"""The rows of the session list."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from sessions_app import selectors
from sessions_app.models import Session

PAGE_SESSIONS = 50


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Some sessions, newest activity first; `next` is the id to continue after, None at the end."""

    sessions: list[Session]
    next: int | None


def listed(owner: User, *, after: int | None = None) -> SessionPage:
    """A page of the owner's sessions, from the newest or after the one with this id."""
    last = owner.agent_sessions.filter(pk=after or 0).values_list("active_at", "pk").first()
    rows = selectors.sessions(owner=owner, after=last, limit=PAGE_SESSIONS + 1)
    shown = rows[:PAGE_SESSIONS]
    return SessionPage(shown, shown[-1].pk if len(rows) > PAGE_SESSIONS else None)
