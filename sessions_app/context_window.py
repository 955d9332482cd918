"""What was pushed last about a session's context, kept as it went out."""

from dataclasses import dataclass
from typing import Any

import orjson
from django.utils import timezone

from agent.manifest import ContextManifest
from sessions_app.models import Session
from sessions_app.stream import NewFrame


@dataclass(frozen=True, slots=True)
class ContextNumbers:
    """One `context_window` push; `active` = active tokens, shown as the water level."""

    estimated: int
    actual: int | None
    active: int
    manifest: ContextManifest | None


def push(*, session_id: int, execution_id: str, numbers: ContextNumbers) -> NewFrame:
    """Store the push on the session, in the caller's transaction, and return its frame.

    Page, snapshot and REST show this text; nobody computes it again.
    """
    data: dict[str, Any] = {"estimated": numbers.estimated, "actual": numbers.actual}
    manifest = numbers.manifest.fit() if numbers.manifest else None
    if manifest is not None:
        data["manifest"] = manifest
    window = numbers.manifest.window_tokens if numbers.manifest else None
    Session.objects.filter(pk=session_id).update(
        context_frame=orjson.dumps(data).decode(),
        context_tokens=numbers.active,
        window_tokens=window,
        context_execution_id=execution_id,
        context_updated_at=timezone.now(),
    )
    return NewFrame("context_window", data)
