"""The session that a command names."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import DatabaseError

from sessions_app.models import Session

SHOWN = 5
HINT = "Is DATABASE_URL right, and was `manage.py migrate` run?"


def add(parser: ArgumentParser, *, optional: bool = False) -> None:
    """Add the argument SESSION, an id."""
    nargs = "?" if optional else None
    parser.add_argument(
        "session", metavar="SESSION", type=int, nargs=nargs, help="the session's id"
    )


def find(session_id: int) -> Session:
    """The session with its model. Raises CommandError that names some that there are."""
    with readable():
        found = Session.objects.select_related("model").filter(pk=session_id).first()
        if found is not None:
            return found
        newest = Session.objects.order_by("-active_at", "-id").values_list("pk", flat=True)[:SHOWN]
        there = f"The newest: {', '.join(map(str, newest))}." if newest else "There is none at all."
    raise CommandError(f"There is no session {session_id}. {there}")


@contextmanager
def readable() -> Iterator[None]:
    """Inside, a database that can't be used is told as such. Raises CommandError."""
    try:
        yield
    except DatabaseError as error:
        raise CommandError(f"The database can't be used: {error}. {HINT}") from error
