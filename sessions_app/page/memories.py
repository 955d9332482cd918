"""The memories of the last request as chips, and what the switch holds back."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from memory_app.models import MemoryItem
from memory_app.selectors import memories_for_injection
from sessions_app.models import Session

MAX_CHIPS = 40  # selectors inject at most 20; imported manifests may name more


@dataclass(frozen=True, slots=True)
class Chip:
    """One memory that was in the request; `content` is None when it was deleted since."""

    id: int
    content: str | None


@dataclass(frozen=True, slots=True)
class Memories:
    """`injected` went with the last request; `held_back` would go with the next one but for the
    switch.
    """

    injected: tuple[Chip, ...]
    held_back: int


def memories(session: Session, user: User, ids: Sequence[int]) -> Memories:
    """The user's own items only, in the order of the manifest."""
    shown = list(ids)[:MAX_CHIPS]
    texts = dict(MemoryItem.objects.filter(owner=user, pk__in=shown).values_list("pk", "content"))
    held_back = 0
    if session.memory_injection_disabled:
        held_back = len(memories_for_injection(owner_id=user.pk, project_key=session.project_key))
    return Memories(tuple(Chip(one, texts.get(one)) for one in shown), held_back)
