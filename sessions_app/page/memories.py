"""The memories of the last request as chips, and what the switch holds back."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from agent.tokens import TokenEstimator
from memory_app import selectors, usage
from memory_app.models import MemoryItem
from memory_app.usage import Carried
from sessions_app.models import Session

MAX_CHIPS = 40  # selectors inject at most 20; imported manifests may name more


@dataclass(frozen=True, slots=True)
class Chip:
    """One memory that was in the request; `memory` is None when it was deleted since."""

    id: int
    memory: Carried | None

    @property
    def is_dismissed(self) -> bool:
        """Whether the next run gets it no more, although it is still there."""
        return self.memory is not None and self.memory.status == MemoryItem.Status.DISMISSED


@dataclass(frozen=True, slots=True)
class Memories:
    """`injected` went with the last request. The others would go with the next run but for the
    switch: how many, and their section's estimated tokens.
    """

    injected: tuple[Chip, ...]
    held_back: int
    held_back_tokens: int


def memories(session: Session, user: User, ids: Sequence[int]) -> Memories:
    """The user's own items only, in the order of the manifest."""
    shown = list(ids)[:MAX_CHIPS]
    found = usage.carried(owner_id=user.pk, session_id=session.pk, ids=shown) if shown else {}
    number = tokens = 0
    if session.memory_injection_disabled:
        number, tokens = selectors.held_back(
            owner_id=user.pk,
            project_key=session.project_key,
            language=session.language,
            count=_estimator(session).section,
        )
    return Memories(tuple(Chip(one, found.get(one)) for one in shown), number, tokens)


def _estimator(session: Session) -> TokenEstimator:
    return TokenEstimator(session.model.tokenizer) if session.model else TokenEstimator()
