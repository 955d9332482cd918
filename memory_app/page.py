"""What the settings page shows: memories in groups, and the forms that are open."""

from dataclasses import dataclass, replace
from datetime import timedelta

from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext as _

from memory_app import cursor, selectors, usage
from memory_app.forms import FilterForm, MemoryForm
from memory_app.models import MemoryItem
from memory_app.selectors import ACTIVE_LIMIT, Counts, MemoryFilter
from memory_app.services import PROPOSED_LIMIT
from memory_app.usage import SessionUsage, Usage

Status = MemoryItem.Status

# How many of each status, in the order of the page; the limits bound all but the dismissed ones.
SHOWN_AT_ONCE = {Status.PROPOSED: PROPOSED_LIMIT, Status.ACTIVE: ACTIVE_LIMIT, Status.DISMISSED: 50}
LISTED_SESSIONS = 50
MAX_DIGITS = 18  # of an id
WRITING = timedelta(seconds=1)  # both times of a new row are set, one after the other
SHORT_LIVED = ("item", "edit", "delete")  # parts of an address that an action leaves behind


@dataclass(frozen=True, slots=True)
class Row:
    """One memory. `injected`: the next run in its place gets it. `form`: it is being edited."""

    item: MemoryItem
    usage: Usage | None
    injected: bool
    form: MemoryForm | None = None
    deleting: bool = False

    @property
    def changed(self) -> bool:
        """Whether it was edited, or its status changed, since it was written."""
        return self.item.updated_at - self.item.created_at > WRITING


@dataclass(frozen=True, slots=True)
class Group:
    """The memories of one status; `older` is the address part that shows the next ones."""

    status: str
    title: str
    rows: list[Row]
    older: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: a filter, one memory, one to edit, one to delete."""

    query: QueryDict
    item: int | None
    edit: int | None
    delete: int | None

    @classmethod
    def of(cls, query: QueryDict) -> "Asked":
        """Read from a query; ids that are none count as not given."""
        item, edit, delete = (row_id(query.get(name, "")) for name in SHORT_LIVED)
        return cls(query, item, edit, delete)

    @property
    def back(self) -> str:
        """The address part to come back to after an action."""
        kept = self.query.copy()
        for name in SHORT_LIVED:
            kept.pop(name, None)
        return kept.urlencode()


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page."""

    asked: Asked
    counts: Counts
    groups: list[Group]
    add: MemoryForm
    narrowing: FilterForm
    projects: list[str]
    sessions: list[SessionUsage]

    @property
    def limit(self) -> int:
        """How many may be active."""
        return ACTIVE_LIMIT

    @property
    def narrowed(self) -> bool:
        """Whether memories are left out."""
        return self.counts.all > 0

    @property
    def missing(self) -> bool:
        """Whether the one memory that was asked for is not there."""
        return self.asked.item is not None and not self.groups


def settings_page(
    user: User, query: QueryDict, *, add: MemoryForm | None = None, edit: MemoryForm | None = None
) -> Page:
    """The page for this query; `add` and `edit` are forms that were sent and refused."""
    asked, narrowing = Asked.of(query), FilterForm(query)
    narrowed = narrowing.narrowed() if asked.item is None else MemoryFilter(ids=[asked.item])
    found = [_found(user, asked, narrowed, status) for status in SHOWN_AT_ONCE]
    ids = [item.pk for items, _older in found for item in items]
    used = usage.usage(owner_id=user.pk, ids=ids)
    injected = selectors.injected_ids(owner_id=user.pk)

    def row(item: MemoryItem) -> Row:
        form = (edit or MemoryForm.of(item)) if asked.edit == item.pk else None
        deleting = asked.delete == item.pk
        return Row(item, used.get(item.pk), item.pk in injected, form, deleting)

    titles = _titles()
    return Page(
        asked=asked,
        counts=selectors.counts(owner_id=user.pk),
        groups=[
            Group(status, titles[status], [row(item) for item in items], older)
            for status, (items, older) in zip(SHOWN_AT_ONCE, found, strict=True)
            if items
        ],
        add=add or MemoryForm(),
        narrowing=narrowing,
        projects=selectors.project_keys(owner_id=user.pk),
        sessions=_sessions(ids[0]) if asked.item is not None and ids else [],
    )


def _found(
    user: User, asked: Asked, narrowed: MemoryFilter, status: Status
) -> tuple[list[MemoryItem], str]:
    """The memories of one status, and the address part of those after them, empty at the end."""
    if narrowed.status not in (None, status):
        return [], ""
    limit = SHOWN_AT_ONCE[status]
    items = selectors.items(
        owner_id=user.pk,
        narrowed=replace(narrowed, status=status),
        after=_after(asked.query),
        limit=limit + 1,
    )
    shown = items[:limit]
    if len(items) == len(shown):
        return shown, ""
    older = QueryDict(asked.back, mutable=True)
    older["status"] = status
    older["after"] = cursor.encode((shown[-1].updated_at, shown[-1].pk))
    return shown, older.urlencode()


def _titles() -> dict[Status, str]:
    return {
        Status.PROPOSED: _("Proposed by agents"),
        Status.ACTIVE: _("Active"),
        Status.DISMISSED: _("Dismissed"),
    }


def _sessions(memory_id: int) -> list[SessionUsage]:
    return usage.sessions(memory_id=memory_id, limit=LISTED_SESSIONS)


def _after(query: QueryDict) -> cursor.Position | None:
    """Where the page before ended; what is no cursor counts as not given."""
    try:
        return cursor.decode(query.get("after", "")) if "after" in query else None
    except ValueError:
        return None


def row_id(text: str) -> int | None:
    """The id in a text, None where there is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else None
