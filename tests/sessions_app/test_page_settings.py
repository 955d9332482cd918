import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions_app.models import ModelProfile, Session
from tests.sessions_app.page_rows import say

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


def data(session: Session, **changes: str) -> dict[str, str]:
    model = session.model.name if session.model else ""
    values = {"title": session.title, "model": model, "permission_level": "READ_ONLY"}
    return {**values, "project_key": session.project_key, **changes}


def test_it_renames_and_changes(page: Client, session: Session) -> None:
    changes = {"title": "Better", "permission_level": "FULL", "project_key": "shop"}
    answer = page.post(f"/sessions/{session.pk}/settings", data(session, **changes))
    assert answer.headers["location"] == f"/sessions/{session.pk}"
    session.refresh_from_db()
    assert (session.title, session.permission_level, session.project_key) == (
        "Better",
        "FULL",
        "shop",
    )


def test_another_model_brings_its_window(page: Client, session: Session) -> None:
    ModelProfile.objects.create(name="small", provider="rehearsal", window_tokens=9_000)
    page.post(f"/sessions/{session.pk}/settings", data(session, model="small"))
    session.refresh_from_db()
    assert (session.model and session.model.name, session.window_tokens) == ("small", 9_000)


def test_a_model_that_is_not_offered_any_more_stays(page: Client, session: Session) -> None:
    ModelProfile.objects.filter(name="rehearsal").update(enabled=False)
    answer = page.post(f"/sessions/{session.pk}/settings", data(session, title="Kept"))
    assert answer.status_code == 302
    session.refresh_from_db()
    assert (session.title, session.model and session.model.name) == ("Kept", "rehearsal")


def test_a_wrong_value_is_named(page: Client, session: Session) -> None:
    answer = page.post(f"/sessions/{session.pk}/settings", data(session, model="gpt-9"))
    assert answer.status_code == 400
    assert "gpt-9 is not one of the available choices" in answer.content.decode()


def test_it_deletes_after_a_confirmation(page: Client, session: Session) -> None:
    say(session, "user", "x")
    html = page.get(f"/sessions/{session.pk}/settings").content.decode()
    assert "Delete it with its 1 message, its requests and summaries, for good." in html
    refused = page.post(f"/sessions/{session.pk}/delete")
    assert (refused.status_code, Session.objects.count()) == (400, 1)
    assert "Nothing was deleted: confirm" in refused.content.decode()
    answer = page.post(f"/sessions/{session.pk}/delete", {"confirm": "yes"})
    assert (answer.headers["location"], Session.objects.count()) == ("/", 0)


def test_a_session_in_which_something_runs_is_kept(page: Client, running: Session) -> None:
    answer = page.post(f"/sessions/{running.pk}/delete", {"confirm": "yes"})
    assert (answer.status_code, Session.objects.count()) == (409, 1)
    assert "Stop it first." in answer.content.decode()


def test_a_form_without_its_token_does_nothing(owner: User, session: Session) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    answer = strict.post(f"/sessions/{session.pk}/delete", {"confirm": "yes"})
    assert (answer.status_code, Session.objects.count()) == (403, 1)
