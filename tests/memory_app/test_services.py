"""Writes of memories: identity, limits, status."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404

from memory_app import services
from memory_app.errors import MemoryRefused
from memory_app.models import MemoryItem, MemoryUse
from memory_app.section import Injection
from memory_app.services import MemoryFields

pytestmark = [pytest.mark.storage, pytest.mark.django_db]

Remember = Callable[..., MemoryItem]


def fill(owner: User, *, active: int) -> None:
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"fact {n}", dedup_hash=f"{n}") for n in range(active)
    )


def update(item: MemoryItem, **fields: str) -> MemoryItem:
    given: MemoryFields = {**fields}  # type: ignore[typeddict-item]  # the test's own names
    return services.memory_update(owner_id=item.owner_id, memory_id=item.pk, fields=given)


def test_it_keeps_the_content_cleaned_and_trimmed(remember: Remember) -> None:
    item = remember("  likes \x00 tea\udc97\u202e \n")
    item.refresh_from_db()
    assert (item.content, item.source, item.status) == ("likes ␀ tea�\u202e", "MANUAL", "ACTIVE")


@pytest.mark.parametrize("length", [1, 499, 500])
def test_it_takes_500_code_points(remember: Remember, length: int) -> None:
    assert len(remember("🍸" * length).content) == length


def test_it_names_the_limit_of_a_content_that_is_too_long(remember: Remember) -> None:
    with pytest.raises(MemoryRefused, match="501 characters are too many; allowed: at most 500"):
        remember("🍸" * 501)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"content": " \n"}, "content"),
        ({"content": "x", "scope": "TEAM"}, "scope"),
        ({"content": "x", "scope": "PROJECT"}, "projectKey"),
        ({"content": "x", "project_key": "p"}, "projectKey"),
        ({"content": "x", "scope": "PROJECT", "project_key": "p" * 201}, "projectKey"),
    ],
)
def test_it_refuses_what_has_no_place(owner: User, values: dict[str, str], field: str) -> None:
    with pytest.raises(MemoryRefused) as caught:
        services.memory_create(owner_id=owner.pk, **values)
    assert caught.value.field == field
    assert not MemoryItem.objects.exists()


def test_the_same_content_is_one_memory(owner: User, remember: Remember) -> None:
    first = remember("Uses  tabs")
    again, created = services.memory_create(owner_id=owner.pk, content="Uses\ttabs ")
    assert (again, created, again.updated_at) == (first, False, first.updated_at)
    assert again.content == "Uses  tabs"


def test_the_same_content_elsewhere_is_another(stranger: User, remember: Remember) -> None:
    remember("Uses tabs")
    remember("Uses tabs", project="a")
    remember("Uses tabs", project="A")
    remember("Uses tabs", of=stranger)
    assert MemoryItem.objects.count() == 4


@pytest.mark.parametrize("status", ["DISMISSED", "PROPOSED"])
def test_writing_it_again_makes_it_active(remember: Remember, status: str) -> None:
    first = remember("Uses tabs")
    MemoryItem.objects.filter(pk=first.pk).update(status=status)
    again = remember("Uses tabs")
    assert (again.pk, again.status) == (first.pk, "ACTIVE")
    assert again.updated_at > first.updated_at


def test_it_keeps_no_more_than_200_active(owner: User, remember: Remember) -> None:
    fill(owner, active=199)
    dismissed = update(remember("the 200th"), status="DISMISSED")
    remember("another 200th")
    with pytest.raises(MemoryRefused, match="200 memories are active, which is the limit"):
        remember("the 201st")
    with pytest.raises(MemoryRefused, match="200 memories are active, which is the limit"):
        update(dismissed, status="ACTIVE")
    assert remember("another 200th").status == "ACTIVE"


def test_others_have_limits_of_their_own(owner: User, stranger: User, remember: Remember) -> None:
    fill(owner, active=200)
    assert remember("mine", of=stranger).status == "ACTIVE"


def test_a_proposal_waits_for_its_user(propose: Remember) -> None:
    item = propose("Likes tea")
    assert (item.status, item.source) == ("PROPOSED", "AUTO")
    assert (item.origin_session_id, item.origin_message_id) == (7, 31)
    assert update(item, status="ACTIVE").source == "AUTO"


@pytest.mark.parametrize("status", ["ACTIVE", "DISMISSED", "PROPOSED"])
def test_a_proposal_changes_nothing_that_is_there(
    remember: Remember, propose: Remember, status: str
) -> None:
    MemoryItem.objects.filter(pk=remember("Likes tea").pk).update(status=status)
    before = MemoryItem.objects.values().get()
    propose("Likes tea")
    assert MemoryItem.objects.values().get() == before


def test_agents_propose_no_more_than_can_be_accepted(owner: User, propose: Remember) -> None:
    fill(owner, active=200)
    with pytest.raises(MemoryRefused, match="200 memories are active"):
        propose("Likes tea")


def test_agents_propose_no_more_than_50_at_once(propose: Remember) -> None:
    for number in range(50):
        propose(f"fact {number}")
    with pytest.raises(MemoryRefused, match="50 proposals wait for the user"):
        propose("Likes tea")


def test_a_change_of_status_is_an_update(remember: Remember) -> None:
    item = remember("Likes tea")
    dismissed = update(item, status="DISMISSED")
    restored = update(item, status="ACTIVE")
    assert item.updated_at < dismissed.updated_at < restored.updated_at
    assert restored.created_at == item.created_at


def test_what_changes_nothing_writes_nothing(remember: Remember) -> None:
    item = remember("Likes tea")
    assert update(item, status="ACTIVE", content="Likes tea").updated_at == item.updated_at


def test_an_edited_memory_has_another_identity(remember: Remember) -> None:
    item = update(remember("Likes tea"), content="Likes coffee", scope="PROJECT", project_key="p")
    assert remember("Likes coffee", project="p") == item
    assert remember("Likes tea") != item


def test_a_memory_that_leaves_its_project_drops_the_key(remember: Remember) -> None:
    item = update(remember("Likes tea", project="p"), scope="USER")
    assert (item.project_key, item.project_hash) == ("", "")


def test_two_memories_never_become_one(remember: Remember) -> None:
    first, second = remember("Likes tea"), remember("Likes coffee")
    with pytest.raises(MemoryRefused, match=f"Memory {first.pk} says the same already"):
        update(second, content="Likes  tea")
    second.refresh_from_db()
    assert second.content == "Likes coffee"


@pytest.mark.parametrize("status", ["PROPOSED", "GONE", ""])
def test_it_takes_no_other_status(remember: Remember, status: str) -> None:
    with pytest.raises(MemoryRefused, match="allowed: ACTIVE, DISMISSED"):
        update(remember("Likes tea"), status=status)


def test_a_memory_from_around_the_checks_can_be_dismissed(owner: User) -> None:
    item = MemoryItem.objects.create(owner=owner, content="x" * 9_000, dedup_hash="old")
    assert update(item, status="DISMISSED").status == "DISMISSED"


def test_it_deletes_with_the_record_of_use(remember: Remember) -> None:
    item = remember("Likes tea")
    services.memory_use_record(session_id=1, request_id=1, injections=[Injection(item.pk, "h", 5)])
    services.memory_delete(owner_id=item.owner_id, memory_id=item.pk)
    assert (MemoryItem.objects.count(), MemoryUse.objects.count()) == (0, 0)


def test_it_writes_nobody_elses(stranger: User, remember: Remember) -> None:
    item = remember("Likes tea")
    with pytest.raises(PermissionDenied):
        services.memory_delete(owner_id=stranger.pk, memory_id=item.pk)
    with pytest.raises(PermissionDenied):
        services.memory_update(owner_id=stranger.pk, memory_id=item.pk, fields={"content": "x"})
    with pytest.raises(Http404):
        services.memory_delete(owner_id=stranger.pk, memory_id=item.pk + 1)


def test_it_records_the_use_of_those_that_are_still_there(remember: Remember) -> None:
    kept, gone = remember("Likes tea"), remember("Likes coffee")
    injections = [Injection(gone.pk, "g", 4), Injection(kept.pk, "k", 5)]
    services.memory_delete(owner_id=gone.owner_id, memory_id=gone.pk)
    services.memory_use_record(session_id=3, request_id=9, injections=injections)
    rows = MemoryUse.objects.values_list(
        "memory_id", "session_id", "request_id", "tokens", "content_hash"
    )
    assert list(rows) == [(kept.pk, 3, 9, 5, "k")]
