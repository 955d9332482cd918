"""Writes memories. Each write locks its owner's row first.

So the writes of one owner stand in a line: limits and identities hold however many come at once, on
SQLite and MariaDB alike, and no two of them can deadlock.
"""

from collections.abc import Sequence
from typing import TypedDict

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils.translation import gettext as _

from memory_app import selectors
from memory_app.errors import MemoryRefused
from memory_app.models import MemoryItem, MemoryUse
from memory_app.section import Injection
from memory_app.values import MemoryValues, valid_values

ACTIVE_LIMIT = selectors.ACTIVE_LIMIT
PROPOSED_LIMIT = 50  # an agent can't flood the page; its user decides about these first

Scope, Status, Source = MemoryItem.Scope, MemoryItem.Status, MemoryItem.Source


class MemoryFields(TypedDict, total=False):
    """What may be changed of a memory, by column."""

    scope: str
    project_key: str
    content: str
    status: str


def memory_create(
    *, owner_id: int, content: str, scope: str = Scope.USER, project_key: str = ""
) -> tuple[MemoryItem, bool]:
    """A memory that its owner wrote, and whether it is new.

    The same content in the same place is the same memory: the stored one is given back, restored if
    it was dismissed, accepted if it was proposed. Raises MemoryRefused, also at `ACTIVE_LIMIT`.
    """
    values = valid_values(scope=scope, project_key=project_key, content=content)
    with transaction.atomic():
        _lock(owner_id)
        item = _same(owner_id, values)
        if item is None:
            _require_room(owner_id, "content")
            return MemoryItem.objects.create(owner_id=owner_id, **values), True
        if item.status != Status.ACTIVE:
            _require_room(owner_id, "content")
            item.status = Status.ACTIVE
            item.save(update_fields=["status", "updated_at"])
        return item, False


def memory_propose(
    *,
    owner_id: int,
    content: str,
    scope: str,
    project_key: str,
    session_id: int,
    message_id: int | None,
) -> tuple[MemoryItem, bool]:
    """A memory that an agent wrote in this session and message, and whether it is new.

    It is PROPOSED until the owner accepts it. One that exists is given back as it is, dismissed
    ones too: an agent can't undo what its user decided. Raises MemoryRefused, also when there is no
    room to accept it or too many proposals wait.
    """
    values = valid_values(scope=scope, project_key=project_key, content=content)
    with transaction.atomic():
        _lock(owner_id)
        item = _same(owner_id, values)
        if item is not None:
            return item, False
        _require_room(owner_id, "content")
        _require_patience(owner_id)
        item = MemoryItem.objects.create(
            owner_id=owner_id,
            status=Status.PROPOSED,
            source=Source.AUTO,
            origin_session_id=session_id,
            origin_message_id=message_id,
            **values,
        )
        return item, True


def memory_update(*, owner_id: int, memory_id: int, fields: MemoryFields) -> MemoryItem:
    """Change the given fields; a change of status is an update like any other.

    What changes nothing writes nothing. Raises MemoryRefused (another memory says the same, no room
    to restore), Http404, PermissionDenied.
    """
    with transaction.atomic():
        _lock(owner_id)
        item = selectors.item(owner_id=owner_id, memory_id=memory_id)
        values: dict[str, object] = {**_new_values(item, fields)}
        values["status"] = _new_status(item, fields.get("status", item.status))
        changed = [name for name, value in values.items() if getattr(item, name) != value]
        if changed:
            for name in changed:
                setattr(item, name, values[name])
            item.save(update_fields=[*changed, "updated_at"])
        return item


def memory_delete(*, owner_id: int, memory_id: int) -> None:
    """Delete a memory with the record of its use. Raises Http404, PermissionDenied."""
    with transaction.atomic():
        _lock(owner_id)
        selectors.item(owner_id=owner_id, memory_id=memory_id, lock=True).delete()


def memory_use_record(*, session_id: int, request_id: int, injections: Sequence[Injection]) -> None:
    """Note that a request carries these memories; called in the transaction that logs the request.

    Those deleted since the run began are left out. The others are locked, so that none is deleted
    between the look and the insert.
    """
    if not injections:
        return
    ids = sorted(injection.memory_id for injection in injections)
    rows = MemoryItem.objects.select_for_update().filter(pk__in=ids).order_by("pk")
    there = set(rows.values_list("pk", flat=True))
    MemoryUse.objects.bulk_create(
        MemoryUse(
            memory_id=injection.memory_id,
            session_id=session_id,
            request_id=request_id,
            tokens=injection.tokens,
            content_hash=injection.content_hash,
        )
        for injection in injections
        if injection.memory_id in there
    )


def _lock(owner_id: int) -> None:
    """Wait for the owner's other writes. The first statement of each transaction here."""
    users = get_user_model().objects.select_for_update().filter(pk=owner_id)
    users.values_list("pk").get()


def _new_values(item: MemoryItem, fields: MemoryFields) -> MemoryValues:
    """The item's columns with the given ones in their places; USER drops the project key."""
    if not fields.keys() - {"status"}:
        return {}  # an item from around the checks can still be dismissed
    scope = fields.get("scope", item.scope)
    kept = "" if scope == Scope.USER else item.project_key
    values = valid_values(
        scope=scope,
        project_key=fields.get("project_key", kept),
        content=fields.get("content", item.content),
    )
    other = _same(item.owner_id, values)
    if other is not None and other.pk != item.pk:
        text = _("Memory %(id)s says the same already.") % {"id": other.pk}
        raise MemoryRefused("content", text)
    return values


def _new_status(item: MemoryItem, status: str) -> str:
    """The status to come. Nothing becomes a proposal; ACTIVE needs room."""
    if status == item.status:
        return status
    if status not in (Status.ACTIVE, Status.DISMISSED):
        text = _("%(value)s is not valid; allowed: ACTIVE, DISMISSED.")
        raise MemoryRefused("status", text % {"value": repr(status)[:100]})
    if status == Status.ACTIVE:
        _require_room(item.owner_id, "status")
    return status


def _same(owner_id: int, values: MemoryValues) -> MemoryItem | None:
    rows = MemoryItem.objects.filter(owner_id=owner_id, dedup_hash=values["dedup_hash"])
    return rows.first()


def _require_room(owner_id: int, field: str) -> None:
    active = MemoryItem.objects.filter(owner_id=owner_id, status=Status.ACTIVE).count()
    if active >= ACTIVE_LIMIT:
        text = _("%(limit)s memories are active, which is the limit; dismiss or delete some first.")
        raise MemoryRefused(field, text % {"limit": ACTIVE_LIMIT})


def _require_patience(owner_id: int) -> None:
    waiting = MemoryItem.objects.filter(owner_id=owner_id, status=Status.PROPOSED).count()
    if waiting >= PROPOSED_LIMIT:
        text = _("%(limit)s proposals wait for the user, which is the limit.")
        raise MemoryRefused("content", text % {"limit": PROPOSED_LIMIT})
