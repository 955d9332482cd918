"""The parts of the session page that stay live, as HTML. The first page and every update come from
here, so that a page that stayed open shows what a reload would.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from sessions_app.models import Message, RequestLog, Session
from sessions_app.page import rows
from sessions_app.page.compaction import CompactionState, compaction_state
from sessions_app.page.composition import Composition, composition
from sessions_app.page.entries import Entry, conversation
from sessions_app.page.history import Chart, chart, logged
from sessions_app.page.memories import Memories, memories
from sessions_app.page.past_compactions import PastCompactions
from sessions_app.page.rows import Slice

LISTED_REQUESTS = 20
# What the first page may cost in its conversation; the rest of the page is small and bounded.
FIRST_BYTES = 160_000
FIRST_TAGS = 4_000  # opening and closing


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rendered messages. `first`: id to load earlier ones before, None at the beginning; `later`:
    ask again.
    """

    html: SafeString
    tail: SafeString
    first: int | None
    later: bool


@dataclass(frozen=True, slots=True)
class State:
    """The parts around the conversation."""

    composition: Composition | None
    memories: Memories
    requests: list[RequestLog]
    history: Chart
    round: int | None
    compaction: CompactionState


def newest(
    session: Session, past: PastCompactions, *, after: int | None = None, before: int | None = None
) -> Stretch:
    """The newest messages, as many as the first page can bear: those that are not compacted; or
    those before an id, with a divider after each boundary; or those between two ids.
    """
    if after is None:
        after = past.boundary if before is None else 0
        part = rows.latest(session, past, after=after, before=before)
        material = replace(part.material, dividers=past.dividers)
        return _stretch(session, replace(part, material=material))
    return _stretch(session, rows.latest(session, past, after=after, before=before))


def following(session: Session, past: PastCompactions, *, after: int) -> Stretch:
    """The messages after an id; none that is compacted."""
    part = rows.following(session, past, after=after)
    shown = conversation(part.material)
    return Stretch(_joined(session, shown.entries), _joined(session, shown.tail), None, part.later)


def whole_message(session: Session, message: Message) -> SafeString:
    """One message without any fold."""
    shown = conversation(rows.single(session, message))
    own = [entry for entry in shown.entries if getattr(entry.shown, "message", None) == message]
    return _joined(session, own)


def state(session: Session, user: User, *, by_size: bool = False) -> State:
    """The numbers of the inspector and the top bar; `by_size`: the composition is listed so."""
    requests = logged(session)
    shown = composition(session, requests, by_size=by_size)
    return State(
        composition=shown,
        memories=memories(session, user, shown.memory_ids if shown else ()),
        requests=requests[:LISTED_REQUESTS],
        history=chart(session, requests, line=shown.line if shown else None),
        round=_round(session),
        compaction=compaction_state(session),
    )


def fragment(name: str, session: Session, shown: State) -> str:
    """One part of the page; `name` is its template in `sessions/parts`."""
    return render_to_string(f"sessions/parts/{name}.html", {"session": session, "state": shown})


def folds(session: Session, past: PastCompactions) -> str:
    """The compacted messages, folded, each part above its divider."""
    context = {"session": session, "past": past}
    return render_to_string("sessions/compaction/folds.html", context)


def _round(session: Session) -> int | None:
    """The round that a running session is in, counted from 1."""
    if session.phase not in {Session.Phase.RUNNING, Session.Phase.WAITING_APPROVAL}:
        return None
    return rows.rounds(session) + 1


def _stretch(session: Session, part: Slice) -> Stretch:
    shown = conversation(part.material)
    rendered = [(entry.at, _rendered(session, entry)) for entry in shown.entries]
    first = _first_affordable(rendered)
    html = _together(text for at, text in rendered if at >= first)
    cut = bool(rendered) and first > rendered[0][0]
    tail = _joined(session, shown.tail if not part.later else ())
    return Stretch(html, tail, first if cut or part.earlier else None, part.later)


def _first_affordable(rendered: list[tuple[int, SafeString]]) -> int:
    """The oldest message that still fits the first page; the newest always does."""
    size = tags = 0
    first = rendered[-1][0] if rendered else 0
    for at, text in reversed(rendered):
        size += len(text.encode())
        tags += text.count("<")
        if at != first and (size > FIRST_BYTES or tags > FIRST_TAGS):
            return first
        first = at
    return first


def _joined(session: Session, entries: Iterable[Entry]) -> SafeString:
    return _together(_rendered(session, entry) for entry in entries)


def _together(parts: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))


def _rendered(session: Session, entry: Entry) -> SafeString:
    template = f"sessions/entries/{entry.kind}.html"
    return render_to_string(template, {"session": session, "entry": entry.shown})
