"""Where memories went."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from memory_app import usage
from memory_app.identity import sha256
from memory_app.models import MemoryItem
from memory_app.section import Injection
from memory_app.services import memory_use_record
from memory_app.usage import Carried, Usage

pytestmark = [pytest.mark.storage, pytest.mark.django_db]

Remember = Callable[..., MemoryItem]


def carry(item: MemoryItem, *, session: int, request: int, tokens: int = 5) -> None:
    injection = Injection(item.pk, sha256(item.content), tokens)
    memory_use_record(session_id=session, request_id=request, injections=[injection])


def test_it_adds_up_requests_sessions_and_tokens(owner: User, remember: Remember) -> None:
    used, unused = remember("a"), remember("b")
    for session, request in ((1, 1), (1, 2), (2, 3)):
        carry(used, session=session, request=request)
    found = usage.usage(owner_id=owner.pk, ids=[used.pk, unused.pk])
    assert found == {used.pk: Usage(requests=3, sessions=2, tokens=15)}


def test_it_tells_nobody_of_others(stranger: User, remember: Remember) -> None:
    item = remember("a")
    carry(item, session=1, request=1)
    assert usage.usage(owner_id=stranger.pk, ids=[item.pk]) == {}
    assert usage.carried(owner_id=stranger.pk, session_id=1, ids=[item.pk]) == {}


def test_it_lists_sessions_by_their_newest_request(remember: Remember) -> None:
    item = remember("a")
    for session, request, tokens in ((1, 1, 5), (2, 2, 5), (1, 3, 6), (3, 4, 6)):
        carry(item, session=session, request=request, tokens=tokens)
    rows = usage.sessions(memory_id=item.pk, limit=2)
    assert [(row.session_id, row.requests, row.tokens) for row in rows] == [(3, 1, 6), (1, 2, 11)]


def test_a_request_counts_once(remember: Remember) -> None:
    item = remember("a")
    carry(item, session=1, request=1)
    with pytest.raises(Exception, match=r"UNIQUE|Duplicate"):
        carry(item, session=1, request=1)


@pytest.mark.parametrize(("content", "changed"), [("a", False), ("b", True)])
def test_it_says_what_was_changed_since(
    owner: User, remember: Remember, content: str, changed: bool
) -> None:
    item = remember("old")
    carry(item, session=1, request=1)
    MemoryItem.objects.filter(pk=item.pk).update(content="a")
    item.refresh_from_db()
    carry(item, session=1, request=2)
    MemoryItem.objects.filter(pk=item.pk).update(content=content)
    found = usage.carried(owner_id=owner.pk, session_id=1, ids=[item.pk, item.pk + 1])
    assert found == {item.pk: Carried(item.pk, content, "ACTIVE", changed)}
    assert not usage.carried(owner_id=owner.pk, session_id=2, ids=[item.pk])[item.pk].changed
