"""The rows of the session list."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import QueryDict

from agent.text import clean
from sessions_app import selectors
from sessions_app.models import Session
from sessions_app.page.new_session import TITLE_CHARS

PAGE_SESSIONS = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sessions are looked for; empty = all."""

    title: str = ""
    phase: str = ""

    @property
    def query(self) -> str:
        """For the address of the next page; empty or ends with "&"."""
        given = {"q": self.title, "phase": self.phase}
        text = urlencode({name: value for name, value in given.items() if value})
        return f"{text}&" if text else ""


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Some sessions, newest activity first; `next` is the id to continue after, None at the end."""

    sessions: list[Session]
    next: int | None
    wanted: Wanted


def wanted(query: QueryDict) -> Wanted:
    """What `q` and `phase` ask for; a phase that does not exist asks for nothing."""
    phase = query.get("phase", "")
    title = clean(query.get("q", "").strip())[:TITLE_CHARS]
    return Wanted(title, phase if phase in Session.Phase.values else "")


def listed(owner: User, looked_for: Wanted, *, after: int | None = None) -> SessionPage:
    """A page of the owner's sessions, from the newest or after the one with this id."""
    last = owner.agent_sessions.filter(pk=after or 0).values_list("active_at", "pk").first()
    rows = selectors.sessions(
        owner=owner,
        after=last,
        title=looked_for.title,
        phase=looked_for.phase,
        limit=PAGE_SESSIONS + 1,
    )
    shown = rows[:PAGE_SESSIONS]
    following = shown[-1].pk if len(rows) > PAGE_SESSIONS else None
    return SessionPage(shown, following, looked_for)
