"""Reads memories. Everything starts from the owner."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404

from agent.prompt.context import MemoryHint
from memory_app.identity import project_hash
from memory_app.models import MemoryItem
from memory_app.section import section_text

USER_LIMIT = 8
PROJECT_LIMIT = 12
ACTIVE_LIMIT = 200  # of one owner; what isn't injected can still be searched and restored

Scope, Status = MemoryItem.Scope, MemoryItem.Status


def memories_for_injection(*, owner_id: int, project_key: str) -> tuple[MemoryHint, ...]:
    """The owner's newest active memories: at most 8 of the user, then 12 of this project.

    Newest first by update time, ties by higher id. A session without a project key gets none of
    projects.
    """
    active = MemoryItem.objects.filter(owner_id=owner_id, status=Status.ACTIVE)
    newest = active.order_by("-updated_at", "-id")
    items = list(newest.filter(scope=Scope.USER)[:USER_LIMIT])
    if project_key:
        of_project = newest.filter(scope=Scope.PROJECT, project_hash=project_hash(project_key))
        items += of_project[:PROJECT_LIMIT]
    return tuple(MemoryHint(item.pk, item.scope, item.project_key, item.content) for item in items)


def held_back(
    *, owner_id: int, project_key: str, language: str, count: Callable[[str], int]
) -> tuple[int, int]:
    """How many memories the next request would carry but for the switch, and at how many tokens.

    `count` gives the tokens of a text; the section is counted as a prompt in `language` has it.
    """
    memories = memories_for_injection(owner_id=owner_id, project_key=project_key)
    if not memories:
        return 0, 0
    return len(memories), count(section_text(language, memories).strip("\n") + "\n\n")


def item(*, owner_id: int, memory_id: int, lock: bool = False) -> MemoryItem:
    """The owner's memory, its row locked if asked for.

    Raises Http404 if there is none, PermissionDenied if it is someone else's.
    """
    rows = MemoryItem.objects.filter(owner_id=owner_id, pk=memory_id)
    found = (rows.select_for_update() if lock else rows).first()
    if found is not None:
        return found
    if MemoryItem.objects.filter(pk=memory_id).exists():
        raise PermissionDenied(f"Memory {memory_id} belongs to someone else.")
    raise Http404(f"There is no memory {memory_id}.")


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a list of memories is narrowed to; None = not by that. An empty key: no project."""

    scope: str | None = None
    status: str | None = None
    project_key: str | None = None
    ids: Sequence[int] | None = None
    search: str = ""

    def of(self, owner_id: int) -> QuerySet[MemoryItem]:
        """The owner's memories that fit, newest first."""
        rows = MemoryItem.objects.filter(owner_id=owner_id)
        if self.scope is not None:
            rows = rows.filter(scope=self.scope)
        if self.status is not None:
            rows = rows.filter(status=self.status)
        if self.project_key is not None:
            rows = rows.filter(project_hash=project_hash(self.project_key))
        if self.ids is not None:
            rows = rows.filter(pk__in=self.ids)
        if self.search:
            rows = rows.filter(content__icontains=self.search)
        return rows.order_by("-updated_at", "-id")


def items(
    *,
    owner_id: int,
    narrowed: MemoryFilter,
    after: tuple[datetime, int] | None = None,
    limit: int,
) -> list[MemoryItem]:
    """Up to `limit` memories, newest first by update time, ties by higher id.

    `after` is (updated_at, id) of the last row of the page before.
    """
    rows = narrowed.of(owner_id)
    if after is not None:
        moment, last_id = after
        earlier = Q(updated_at__lt=moment) | Q(pk__lt=last_id)
        rows = rows.filter(earlier, updated_at__lte=moment)
    return list(rows[:limit])


@dataclass(frozen=True, slots=True)
class Counts:
    """How many memories an owner has, by status and, where active, by scope."""

    user: int
    project: int
    proposed: int
    dismissed: int

    @property
    def active(self) -> int:
        """What counts towards the limit."""
        return self.user + self.project

    @property
    def all(self) -> int:
        """Whatever the status."""
        return self.active + self.proposed + self.dismissed


def counts(*, owner_id: int) -> Counts:
    """The owner's numbers, in one query."""
    active = Q(status=Status.ACTIVE)
    numbers = MemoryItem.objects.filter(owner_id=owner_id).aggregate(
        user=Count("pk", filter=active & Q(scope=Scope.USER)),
        project=Count("pk", filter=active & Q(scope=Scope.PROJECT)),
        proposed=Count("pk", filter=Q(status=Status.PROPOSED)),
        dismissed=Count("pk", filter=Q(status=Status.DISMISSED)),
    )
    return Counts(**numbers)


def injected_ids(*, owner_id: int) -> frozenset[int]:
    """The ids that the next run would be given, whatever the project: the newest of each place."""
    newest = Window(
        RowNumber(), partition_by=["scope", "project_hash"], order_by=["-updated_at", "-id"]
    )
    rows = MemoryItem.objects.filter(owner_id=owner_id, status=Status.ACTIVE)
    ranked = rows.annotate(rank=newest).filter(
        Q(scope=Scope.USER, rank__lte=USER_LIMIT) | Q(scope=Scope.PROJECT, rank__lte=PROJECT_LIMIT)
    )
    return frozenset(ranked.order_by(F("pk")).values_list("pk", flat=True))


def project_keys(*, owner_id: int) -> list[str]:
    """The project keys that the owner's memories have, in order of their names, each once."""
    rows = MemoryItem.objects.filter(owner_id=owner_id, scope=Scope.PROJECT).order_by()
    return sorted({*rows.values_list("project_key", flat=True)})
