"""Memories, and what captured requests say of them."""

import json
import re
from typing import Any

from django.contrib.auth.models import User

from memory_app import services
from memory_app.models import MemoryItem
from sessions_app.models import RequestLog, Session
from tests.wire.fixture import Wire

LINE = re.compile(
    r'^- \[(\d+)(?:, project "(?:[^"\\]|\\.)*")?\] ("(?:[^"\\]|\\.)*")$', re.MULTILINE
)


def remember(owner: User, content: str, *, project: str = "") -> MemoryItem:
    """Keep a memory of this owner."""
    item, _ = services.memory_create(
        owner_id=owner.pk,
        content=content,
        scope="PROJECT" if project else "USER",
        project_key=project,
    )
    return item


def set_status(item: MemoryItem, status: str) -> None:
    """Dismiss or restore it."""
    services.memory_update(owner_id=item.owner_id, memory_id=item.pk, fields={"status": status})


def system(wire: Wire, number: int = -1) -> str:
    """The system prompt of a captured request, the last one if not said otherwise."""
    message = wire.requests()[number].body["messages"][0]
    assert message["role"] == "system"
    return str(message["content"])


def carried(prompt: str) -> dict[int, str]:
    """The memories in a system prompt: content by id, in their order."""
    return {int(id_): json.loads(text) for id_, text in LINE.findall(prompt)}


def manifest(session: Session) -> Any:
    """The manifest of the session's last run request."""
    row = RequestLog.objects.filter(session=session, kind="run").order_by("-id")[0]
    return json.loads(row.manifest)


def section(session: Session) -> dict[str, Any] | None:
    """The memories' row of that manifest, None where it has none."""
    rows = {row["key"]: row for row in manifest(session)["sections"]}
    return rows.get("memories")
