"""Write transactions that a database may ask to repeat."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, transaction

T = TypeVar("T")

ATTEMPTS = 5
# MariaDB: record changed since last read, lock wait timeout, deadlock. Each asks to try again.
REPEATABLE = {1020, 1205, 1213}


def run(work: Callable[[], T]) -> T:
    """Run `work` in one transaction, again from the start when the database says so.

    The whole transaction is repeated, never a statement: what it read may have changed.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            with transaction.atomic():
                return work()
        except OperationalError as error:
            if not error.args or error.args[0] not in REPEATABLE:
                raise
    with transaction.atomic():
        return work()
