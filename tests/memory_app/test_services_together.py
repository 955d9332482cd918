"""Many writes at once: limits and identities hold."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.contrib.auth.models import User
from django.db import connection

from memory_app import services
from memory_app.errors import MemoryRefused
from memory_app.models import MemoryItem

pytestmark = [pytest.mark.storage, pytest.mark.django_db(transaction=True)]

T = TypeVar("T")
THREADS = 8


def at_once(work: Callable[[int], T]) -> list[T]:
    """What `work(0)`, `work(1)`, ... give, each called in a thread of its own."""

    def call(number: int) -> T:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, range(THREADS)))


def test_the_same_content_at_once_is_one_memory(owner: User) -> None:
    def create(_: int) -> bool:
        return services.memory_create(owner_id=owner.pk, content="Likes tea")[1]

    assert sorted(at_once(create)) == [False] * (THREADS - 1) + [True]
    assert MemoryItem.objects.count() == 1


def test_the_limit_holds_for_writes_at_once(owner: User) -> None:
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"fact {n}", dedup_hash=f"{n}") for n in range(197)
    )

    def create(number: int) -> bool:
        try:
            services.memory_create(owner_id=owner.pk, content=f"new {number}")
        except MemoryRefused:
            return False
        return True

    assert sum(at_once(create)) == 3
    assert MemoryItem.objects.filter(status="ACTIVE").count() == 200


def test_the_limit_holds_for_what_is_restored_at_once(owner: User) -> None:
    MemoryItem.objects.bulk_create(
        MemoryItem(
            owner=owner,
            content=f"fact {n}",
            dedup_hash=f"{n}",
            status="ACTIVE" if n < 198 else "DISMISSED",
        )
        for n in range(198 + THREADS)
    )
    dismissed = list(MemoryItem.objects.filter(status="DISMISSED"))

    def restore(number: int) -> bool:
        row = dismissed[number].pk
        try:
            services.memory_update(owner_id=owner.pk, memory_id=row, fields={"status": "ACTIVE"})
        except MemoryRefused:
            return False
        return True

    assert sum(at_once(restore)) == 2
