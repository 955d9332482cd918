"""The columns of a valid memory: what may be remembered, and where."""

from typing import TypedDict

from django.utils.translation import gettext as _

from agent.text import clean
from memory_app.errors import MemoryRefused
from memory_app.identity import dedup_hash, project_hash
from memory_app.models import MemoryItem
from memory_app.section import CONTENT_LIMIT

KEY_LIMIT = 200  # characters of a project key
SHOWN_CHARS = 100  # of a refused value

Scope = MemoryItem.Scope


class MemoryValues(TypedDict, total=False):
    """Columns that belong together: content and place, and their identities."""

    scope: str
    project_key: str
    project_hash: str
    content: str
    dedup_hash: str


def valid_values(*, scope: str, project_key: str, content: str) -> MemoryValues:
    """The columns for this content, cleaned and trimmed, in this place. Raises MemoryRefused."""
    project_key, content = clean(project_key), clean(content).strip()
    _require_place(scope, project_key)
    if not content:
        raise MemoryRefused("content", _("Blank is not allowed."))
    _require_length("content", content, CONTENT_LIMIT)
    return {
        "scope": scope,
        "project_key": project_key,
        "project_hash": project_hash(project_key),
        "content": content,
        "dedup_hash": dedup_hash(scope, project_key, content),
    }


def _require_place(scope: str, project_key: str) -> None:
    """A project's memories have its key, a user's have none."""
    if scope not in Scope.values:
        text = _("%(value)s is not valid; allowed: USER, PROJECT.")
        raise MemoryRefused("scope", text % {"value": repr(scope)[:SHOWN_CHARS]})
    if scope == Scope.PROJECT and not project_key:
        raise MemoryRefused("projectKey", _("A memory with the scope PROJECT needs a project key."))
    if scope == Scope.USER and project_key:
        raise MemoryRefused("projectKey", _("Only a memory with the scope PROJECT may have one."))
    _require_length("projectKey", project_key, KEY_LIMIT)


def _require_length(field: str, text: str, limit: int) -> None:
    if len(text) > limit:
        message = _("%(length)s characters are too many; allowed: at most %(limit)s.")
        raise MemoryRefused(field, message % {"length": len(text), "limit": limit})
