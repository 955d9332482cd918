"""Write transactions that a database may ask to repeat."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, transaction

T = TypeVar("T")

ATTEMPTS = 5
# MariaDB: record changed since last read, lock wait timeout, deadlock. Each asks to try again.
REPEATABLE = {1020, 1205, 1213}
LOCKED = "database is locked"  # SQLite, after its timeout of 20 s


def run(work: Callable[[], T], *, patient: bool = False) -> T:
    """Run `work` in one transaction, again from the start when the database says so.

    The whole transaction is repeated, never a statement: what it read may have changed. `patient`
    is for what would be lost otherwise, such as an answer: it waits through SQLite's lock up to
    five times as long.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            with transaction.atomic():
                return work()
        except OperationalError as error:
            if not _may_repeat(error, patient=patient):
                raise
    with transaction.atomic():
        return work()


def _may_repeat(error: OperationalError, *, patient: bool) -> bool:
    reason = error.args[0] if error.args else None
    return reason in REPEATABLE or (patient and reason == LOCKED)
