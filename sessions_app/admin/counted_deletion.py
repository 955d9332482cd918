"""What a deletion would take, in numbers: Django's own page would list 10,000 messages."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from sessions_app import claims
from sessions_app.models import Message, Session

# As `get_deleted_objects` returns it: what is shown, counts, missing rights, what forbids it.
Deletion = tuple[list[Any], dict[str, int], set[str], list[Any]]


def counted(rows: Iterable[Model], session_ids: list[int]) -> Deletion:
    """The rows by name, their sessions and messages by number; sessions that run forbid it."""
    running = [session_id for session_id in session_ids if claims.current(session_id)]
    shown = [str(row) for row in rows]
    counts = {
        str(Session._meta.verbose_name_plural): len(session_ids),
        str(Message._meta.verbose_name_plural): Message.objects.filter(
            session_id__in=session_ids
        ).count(),
    }
    busy = [_("session %(id)s is running") % {"id": session_id} for session_id in running]
    return shown, counts, set(), busy
