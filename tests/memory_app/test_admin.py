"""The admin of memories: found, looked at, dismissed and restored."""

from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from memory_app import services
from memory_app.models import MemoryItem
from memory_app.section import Injection
from tests.sessions_app.rest import Rest, signed_in

pytestmark = pytest.mark.django_db

Remember = Callable[..., MemoryItem]
LIST = "/admin/memory_app/memoryitem/"


@pytest.fixture
def desk(staff: User) -> Rest:
    return signed_in(staff)


def act(desk: Rest, action: str, *items: MemoryItem) -> str:
    body = {"action": action, "_selected_action": [item.pk for item in items]}
    page: str = desk.post(LIST, body, follow=True).content.decode()
    return page


def status(item: MemoryItem) -> str:
    item.refresh_from_db()
    return item.status


def test_it_dismisses_and_restores_many(desk: Rest, stranger: User, remember: Remember) -> None:
    mine, theirs = remember("a"), remember("b", of=stranger)
    assert "2 changed." in act(desk, "dismiss", mine, theirs)
    assert (status(mine), status(theirs)) == ("DISMISSED", "DISMISSED")
    assert "1 changed." in act(desk, "restore", mine)
    assert (status(mine), status(theirs)) == ("ACTIVE", "DISMISSED")


def test_it_accepts_no_proposal(desk: Rest, propose: Remember) -> None:
    item = propose("a")
    assert "0 changed." in act(desk, "restore", item)
    assert status(item) == "PROPOSED"


def test_it_restores_no_more_than_the_limit(desk: Rest, owner: User, remember: Remember) -> None:
    first, second = remember("a"), remember("b")
    act(desk, "dismiss", first, second)
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"{n}", dedup_hash=f"{n}") for n in range(199)
    )
    page = act(desk, "restore", first, second)
    assert f"Memory {second.pk}: 200 memories are active" in page
    assert (status(first), status(second)) == ("ACTIVE", "DISMISSED")


@pytest.mark.parametrize(("codename", "after"), [("view", "ACTIVE"), ("change", "DISMISSED")])
def test_it_takes_the_right_to_change(
    stranger: User, remember: Remember, codename: str, after: str
) -> None:
    User.objects.filter(pk=stranger.pk).update(is_staff=True)
    create_permissions(apps.get_app_config("memory_app"), verbosity=0)
    rights = Permission.objects.filter(content_type__app_label="memory_app")
    stranger.user_permissions.add(
        *rights.filter(codename__in=["view_memoryitem", f"{codename}_memoryitem"])
    )
    item = remember("a")
    act(signed_in(stranger), "dismiss", item)
    assert status(item) == after


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=likes", ["likes tea"]),
        ("q=stranger", ["theirs"]),
        ("scope__exact=PROJECT", ["of e1"]),
        ("status__exact=PROPOSED", ["proposed"]),
        ("source__exact=AUTO", ["proposed"]),
    ],
)
def test_it_searches_and_filters(
    desk: Rest,
    stranger: User,
    remember: Remember,
    propose: Remember,
    query: str,
    expected: list[str],
) -> None:
    remember("likes tea")
    remember("of e1", project="e1")
    remember("theirs", of=stranger)
    propose("proposed")
    found = desk.get(f"{LIST}?{query}").context["cl"].result_list
    assert [row.content for row in found] == expected


def test_it_filters_by_owner_and_by_exactly_one_project(
    desk: Rest, owner: User, stranger: User, remember: Remember
) -> None:
    mine = remember("mine", project="e1")
    remember("other", project="E1")
    remember("theirs", project="e1", of=stranger)
    query = f"?owner__id__exact={owner.pk}&project={mine.project_hash}"
    assert list(desk.get(LIST + query).context["cl"].result_list) == [mine]


def test_it_says_which_sessions_used_it_last(desk: Rest, remember: Remember) -> None:
    item = remember("a")
    for session, request in ((41, 1), (42, 2)):
        injections = [Injection(item.pk, "h", 7)]
        services.memory_use_record(session_id=session, request_id=request, injections=injections)
    path = reverse("admin:sessions_app_session_change", args=[42])
    assert f'<a href="{path}">42</a>' in desk.get(LIST).content.decode()
    page = desk.get(f"{LIST}{item.pk}/change/").content.decode()
    assert page.index(">42</a> (requests: 1, tokens: 7,") < page.index(">41</a> (requests: 1")


def test_it_says_where_an_agent_wrote_it(desk: Rest, propose: Remember) -> None:
    page = desk.get(f"{LIST}{propose('a').pk}/change/").content.decode()
    assert ">7</a>, message 31" in page


def test_no_text_hides_or_reorders_the_page(desk: Rest, remember: Remember) -> None:
    item = remember("the \u202eyek\u202c <b>x</b>", project="p\u202e")
    for path in (LIST, f"{LIST}{item.pk}/change/"):
        page = desk.get(path).content.decode()
        assert "\u202e" not in page
        assert "the \\u202eyek\\u202c \\u003cb&gt;x" in page
        assert "p\\u202e" in page
