"""Which memories a run is given, and what lists show."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_app import selectors
from memory_app.models import MemoryItem
from memory_app.section import section_text
from memory_app.selectors import Counts, MemoryFilter, memories_for_injection
from memory_app.services import memory_update

pytestmark = [pytest.mark.storage, pytest.mark.django_db]

Remember = Callable[..., MemoryItem]
MOMENT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def injected(owner: User, project: str = "") -> list[str]:
    found = memories_for_injection(owner_id=owner.pk, project_key=project)
    return [memory.content for memory in found]


def touch(item: MemoryItem, microseconds: int) -> None:
    moment = MOMENT + timedelta(microseconds=microseconds)
    MemoryItem.objects.filter(pk=item.pk).update(updated_at=moment)


def test_a_run_gets_8_of_the_user_then_12_of_its_project(owner: User, remember: Remember) -> None:
    for number in range(9):
        remember(f"user {number}")
    for number in range(13):
        remember(f"project {number}", project="vitrine")
    user = [f"user {number}" for number in range(8, 0, -1)]
    project = [f"project {number}" for number in range(12, 0, -1)]
    assert injected(owner, "vitrine") == user + project
    assert injected(owner, "other") == user
    assert injected(owner) == user


def test_the_newest_by_the_microsecond_come_first_then_the_higher_id(
    owner: User, remember: Remember
) -> None:
    first, second, third = remember("first"), remember("second"), remember("third")
    for item, microsecond in ((first, 5), (second, 4), (third, 4)):
        touch(item, microsecond)
    assert injected(owner) == ["first", "third", "second"]


def test_a_hint_carries_id_scope_key_and_content(owner: User, remember: Remember) -> None:
    item = remember("uses tabs", project="vitrine")
    [hint] = memories_for_injection(owner_id=owner.pk, project_key="vitrine")
    expected = (item.pk, "PROJECT", "vitrine", "uses tabs")
    assert (hint.id, hint.scope, hint.project_key, hint.content) == expected


@pytest.mark.parametrize("status", ["DISMISSED", "PROPOSED"])
def test_only_active_ones_are_injected(owner: User, remember: Remember, status: str) -> None:
    MemoryItem.objects.filter(pk=remember("Likes tea").pk).update(status=status)
    assert injected(owner) == []


def test_a_restored_one_comes_first(owner: User, remember: Remember) -> None:
    old, _ = remember("old"), remember("new")
    for status in ("DISMISSED", "ACTIVE"):
        memory_update(owner_id=owner.pk, memory_id=old.pk, fields={"status": status})
    assert injected(owner) == ["old", "new"]


@pytest.mark.parametrize("other", ["E1", "é1", "e1 ", "e"])
def test_a_project_is_exactly_its_key(owner: User, remember: Remember, other: str) -> None:
    remember("of e1", project="e1")
    assert injected(owner, "e1") == ["of e1"]
    assert injected(owner, other) == []


@pytest.mark.parametrize(("project", "queries"), [("", 1), ("vitrine", 2)])
def test_it_asks_once_for_each_scope(owner: User, project: str, queries: int) -> None:
    with CaptureQueriesContext(connection) as captured:
        injected(owner, project)
    assert len(captured) == queries


@pytest.mark.parametrize("seed", range(5))
def test_what_the_page_marks_is_what_runs_get(owner: User, remember: Remember, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(40):
        item = remember(f"fact {number}", project=chance.choice(["", "a", "b"]))
        touch(item, chance.randrange(10))
        if chance.random() < 0.2:
            MemoryItem.objects.filter(pk=item.pk).update(status="DISMISSED")
    runs = [memories_for_injection(owner_id=owner.pk, project_key=key) for key in ("", "a", "b")]
    given = {memory.id for memories in runs for memory in memories}
    assert selectors.injected_ids(owner_id=owner.pk) == given


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_counts_what_the_switch_holds_back(
    owner: User, remember: Remember, language: str
) -> None:
    remember("Likes tea")
    remember("uses tabs", project="vitrine")
    text = section_text(language, memories_for_injection(owner_id=owner.pk, project_key="vitrine"))
    found = selectors.held_back(
        owner_id=owner.pk, project_key="vitrine", language=language, count=len
    )
    assert found == (2, len(text.strip("\n")) + 2)


def test_nothing_held_back_costs_nothing(owner: User) -> None:
    found = selectors.held_back(owner_id=owner.pk, project_key="", language="en", count=len)
    assert found == (0, 0)


def test_it_counts_by_status_and_scope(
    owner: User, stranger: User, remember: Remember, propose: Remember
) -> None:
    remember("a")
    remember("b", project="p")
    remember("c", project="p")
    gone = remember("d")
    memory_update(owner_id=owner.pk, memory_id=gone.pk, fields={"status": "DISMISSED"})
    propose("e")
    remember("f", of=stranger)
    counts = selectors.counts(owner_id=owner.pk)
    assert counts == Counts(user=1, project=2, proposed=1, dismissed=1)
    assert (counts.active, counts.all) == (3, 5)


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        (MemoryFilter(), ["100% tea", "B", "A"]),
        (MemoryFilter(scope="PROJECT"), ["B"]),
        (MemoryFilter(project_key="p"), ["B"]),
        (MemoryFilter(project_key="P"), []),
        (MemoryFilter(project_key=""), ["100% tea", "A"]),
        (MemoryFilter(status="DISMISSED"), []),
        (MemoryFilter(ids=[]), []),
        (MemoryFilter(search="100%"), ["100% tea"]),
        (MemoryFilter(search="%"), ["100% tea"]),
        (MemoryFilter(search="_"), []),
        (MemoryFilter(search="TEA"), ["100% tea"]),
    ],
)
def test_a_list_is_narrowed(
    owner: User,
    stranger: User,
    remember: Remember,
    narrowed: MemoryFilter,
    expected: list[str],
) -> None:
    remember("A")
    remember("B", project="p")
    remember("100% tea")
    remember("100% tea", of=stranger)
    rows = selectors.items(owner_id=owner.pk, narrowed=narrowed, limit=10)
    assert [row.content for row in rows] == expected


def test_it_names_each_project_once(owner: User, stranger: User, remember: Remember) -> None:
    for text, key in (("a", "b"), ("b", "b"), ("c", "B"), ("d", "")):
        remember(text, project=key)
    remember("e", project="theirs", of=stranger)
    assert selectors.project_keys(owner_id=owner.pk) == ["B", "b"]
