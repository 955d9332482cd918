import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from sessions_app.models import Claim, ModelProfile, Session
from sessions_app.page.session_list import PAGE_SESSIONS
from tests.sessions_app.page_rows import push

Make = Callable[..., Session]


@pytest.fixture
def page(owner: User, model: ModelProfile, client: Client) -> Client:
    client.force_login(owner)
    return client


def names(page: Client, query: str = "") -> list[str]:
    html = page.get(f"/{query}").content.decode()
    return re.findall(r'class="name">([^<]*)<', html)


def made(page: Client, **fields: Any) -> Session:
    response = page.post("/", fields)
    session = Session.objects.get()
    assert response.headers["location"] == f"/sessions/{session.pk}"
    return session


def test_it_asks_to_sign_in(client: Client) -> None:
    assert client.get("/").headers["location"] == "/accounts/login/?next=/"


def test_it_shows_the_owners_sessions_newest_first(
    page: Client, make_session: Make, stranger: User
) -> None:
    make_session(title="first")
    make_session(title="second")
    make_session(title="foreign", owner=stranger)
    assert names(page) == ["second", "first"]


def test_a_row_says_how_the_session_is(page: Client, make_session: Make) -> None:
    session = make_session(phase="FAILED", window_tokens=10_000, project_key="shop")
    push(session, active=4_950, estimated=4_000)
    html = page.get("/").content.decode()
    assert "Failed" in html
    assert "4.0k / 10.0k" in html  # as the session's own page, not the active tokens
    assert '<rect class="filled" width="40" height="6" />' in html
    assert "<span>shop</span>" in html


def test_older_sessions_are_on_further_pages(page: Client, make_session: Make) -> None:
    ids = [make_session(title=str(number)).pk for number in range(PAGE_SESSIONS + 2)]
    html = page.get("/").content.decode()
    assert f'href="?after={ids[2]}"' in html
    assert names(page, f"?after={ids[2]}") == ["1", "0"]


def test_it_finds_titles_and_phases(page: Client, make_session: Make) -> None:
    for title, phase in (("Fix retries", "FAILED"), ("retry later", "IDLE"), ("Notes", "FAILED")):
        make_session(title=title, phase=phase)
    assert names(page, "?q=RETR") == ["retry later", "Fix retries"]
    assert names(page, "?q=retr&phase=FAILED") == ["Fix retries"]
    assert names(page, "?phase=FAILED") == ["Notes", "Fix retries"]
    assert names(page, "?phase=nonsense") == ["Notes", "retry later", "Fix retries"]


def test_what_is_looked_for_stays_and_goes_on_to_the_next_page(
    page: Client, make_session: Make
) -> None:
    for number in range(PAGE_SESSIONS + 1):
        make_session(title=f"a&b {number}")
    html = page.get("/?q=a%26b").content.decode()
    assert 'value="a&amp;b"' in html
    (last,) = re.findall(r'href="\?q=a%26b&amp;after=(\d+)"', html)
    assert names(page, f"?q=a%26b&after={last}") == ["a&amp;b 0"]
    assert "No session is like that." in page.get("/?q=nothing").content.decode()


def test_each_row_leads_to_renaming_and_deleting(page: Client, session: Session) -> None:
    html = " ".join(page.get("/").content.decode().split())
    assert f'href="/sessions/{session.pk}/settings" aria-label="Rename or delete: Test"' in html


def test_the_form_sets_what_the_agent_may_do(page: Client) -> None:
    assert made(page, permission_level="READ_WRITE").permission_level == "READ_WRITE"


def test_its_queries_do_not_grow(page: Client, make_session: Make) -> None:
    page.get("/")
    counts = []
    for number in (1, 10):
        for _ in range(number):
            make_session()
        with CaptureQueriesContext(connection) as queries:
            page.get("/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_form_makes_a_session_with_its_claim(page: Client, settings: Settings) -> None:
    session = made(page, title=" Retries ", model="rehearsal", project_key="shop")
    assert (session.title, session.project_key, session.language) == ("Retries", "shop", "en")
    assert session.model is not None
    assert Path(session.workspace).parent == settings.WORKSPACE_ROOTS[0]
    assert Claim.objects.get().session == session


def test_everything_may_stay_empty(page: Client) -> None:
    session = made(page)
    assert (session.title, session.model and session.model.name) == ("", "rehearsal")


def test_a_session_speaks_the_language_of_the_page(page: Client) -> None:
    page.cookies["django_language"] = "zh-hans"
    assert made(page).language == "zh-hans"


def test_a_folder_outside_the_roots_is_refused_and_the_input_stays(page: Client) -> None:
    response = page.post("/", {"title": "Mine", "workspace": "/etc"})
    html = response.content.decode()
    assert response.status_code == 400
    assert "Workspace: &#x27;/etc&#x27; is not allowed; allowed:" in html
    assert 'value="Mine"' in html
    assert Session.objects.count() == 0


def test_an_unknown_model_is_refused(page: Client) -> None:
    html = page.post("/", {"model": "gpt-9"}).content.decode()
    assert "gpt-9 is not one of the available choices" in html


def test_without_any_model_it_says_what_to_do(page: Client) -> None:
    ModelProfile.objects.all().delete()
    html = page.post("/", {}).content.decode()
    assert "No model is offered: enable one in the admin." in html


def test_signing_in_leads_back(owner: User, client: Client) -> None:
    client.get("/accounts/login/?next=/sessions/1")
    wrong = client.post("/accounts/login/", {"username": "owner", "password": "x"})
    assert "This name and password don't match." in wrong.content.decode()
    data = {"username": "owner", "password": "owner-password", "next": "/sessions/1"}
    assert client.post("/accounts/login/", data).headers["location"] == "/sessions/1"
