"""The memories that `save_memory` cards speak of, as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from memory_app.models import MemoryItem
from sessions_app.models import Message, Session

SAVE_MEMORY = "save_memory"  # the tool's name; to load the tool would be a page's longest work


@dataclass(frozen=True, slots=True)
class Proposed:
    """A memory that a tool result named; its status is empty when it was deleted since."""

    id: int
    status: str


def proposed(session: Session, rows: Sequence[Message]) -> dict[int, Proposed]:
    """By message id; one query, none where no row is such a result."""
    named = {row.pk: memory_id for row in rows if (memory_id := _memory_id(row)) is not None}
    if not named:
        return {}
    own = MemoryItem.objects.filter(owner_id=session.owner_id, pk__in=named.values())
    statuses = dict(own.values_list("pk", "status"))
    return {row: Proposed(one, statuses.get(one, "")) for row, one in named.items()}


def _memory_id(row: Message) -> int | None:
    if row.tool_name != SAVE_MEMORY:
        return None
    try:
        result = orjson.loads(row.content)
    except orjson.JSONDecodeError:
        return None
    found = result.get("memoryId") if isinstance(result, dict) else None
    return found if type(found) is int else None
