import json
import zoneinfo
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from sessions_app.models import Session
from tests.sessions_app.rest import Rest, signed_in

pytestmark = pytest.mark.storage

CASES = Path(__file__).parents[1] / "cases"
LIST = "/v1/sessions"


def test_it_lists_only_the_users_own(
    api: Rest, stranger: User, make_session: Callable[..., Session]
) -> None:
    own, other = make_session(), make_session(owner=stranger)
    assert [row["id"] for row in api.get(LIST).json()["results"]] == [own.pk]
    assert [row["id"] for row in signed_in(stranger).get(LIST).json()["results"]] == [other.pk]


def _at(make_session: Callable[..., Session], moment: str, **fields: Any) -> Session:
    session = make_session(**fields)
    Session.objects.filter(pk=session.pk).update(active_at=datetime.fromisoformat(moment))
    return session


def _pages(api: Rest, limit: int) -> list[list[str]]:
    pages, query = [], f"?limit={limit}"
    while True:
        page = api.get(LIST + query).json()
        pages.append([row["title"] for row in page["results"]])
        if page["next"] is None:
            return pages
        query = f"?limit={limit}&cursor={page['next']}"


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 200])
def test_it_pages_through_clock_changes_and_equal_times(
    api: Rest, make_session: Callable[..., Session], limit: int
) -> None:
    for row in json.loads((CASES / "C41_timezone.json").read_text())["input"]["sessions"]:
        _at(make_session, row["updated"], title=row["id"])
    pages = _pages(api, limit)
    assert [title for page in pages for title in page] == ["s5", "s4", "s3", "s2", "s1"]
    assert all(len(page) == limit for page in pages[:-1])


def test_it_shows_times_in_utc_wherever_the_viewer_is(
    api: Rest, make_session: Callable[..., Session]
) -> None:
    session = make_session(time_zone="America/Los_Angeles")
    shown = datetime.fromisoformat(api.get(LIST).json()["results"][0]["createdAt"])
    assert shown == session.created_at
    assert shown.utcoffset() == zoneinfo.ZoneInfo("UTC").utcoffset(shown)


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=abc", "limit=-1", "limit=", "limit=5.0"]
)
def test_it_refuses_a_bad_limit(api: Rest, query: str) -> None:
    answer = api.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert "allowed: a whole number from 1 to 200." in answer.json()["limit"][0]


@pytest.mark.parametrize("cursor", ["", "x", "MTIz", "MTIz.", "%00", "é", "LTEuLTE", "9" * 5_000])
def test_it_refuses_a_cursor_that_is_none(api: Rest, cursor: str) -> None:
    answer = api.get(LIST, {"cursor": cursor})
    assert answer.status_code == 400
    assert answer.json()["cursor"][0].endswith("is not a cursor of this list.")


def test_it_lists_with_the_same_queries_however_many_there_are(
    api: Rest,
    make_session: Callable[..., Session],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for count in (1, 20):
        for _ in range(count):
            make_session()
        with django_assert_num_queries(3):  # the cookie's session, the user, the list
            api.get(LIST)
