"""Which memories a run is given."""

import hashlib

from agent.prompt.context import MemoryHint
from memory_app.models import MemoryItem

USER_LIMIT = 8
PROJECT_LIMIT = 12


def project_hash(project_key: str) -> str:
    """A project key's identity: sha256, so that no collation makes two projects one. Empty for
    none.
    """
    return hashlib.sha256(project_key.encode()).hexdigest() if project_key else ""


def memories_for_injection(*, owner_id: int, project_key: str) -> tuple[MemoryHint, ...]:
    """The owner's newest active memories: at most 8 of the user, then 12 of this project.

    Newest first by update time, ties by higher id. A session without a project key gets none of
    projects.
    """
    active = MemoryItem.objects.filter(owner_id=owner_id, status=MemoryItem.Status.ACTIVE)
    newest = active.order_by("-updated_at", "-id")
    items = list(newest.filter(scope=MemoryItem.Scope.USER)[:USER_LIMIT])
    if project_key:
        of_project = newest.filter(
            scope=MemoryItem.Scope.PROJECT, project_hash=project_hash(project_key)
        )
        items += of_project[:PROJECT_LIMIT]
    return tuple(MemoryHint(item.pk, item.scope, item.project_key, item.content) for item in items)
