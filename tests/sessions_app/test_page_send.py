"""Sending by the page's form, without scripts."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions_app import claims
from sessions_app.limits import CONTENT_CHARS
from sessions_app.models import Session
from tests.sessions_app.running import said, wait_idle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


def test_a_form_starts_a_run_and_leads_to_its_message(page: Client, session: Session) -> None:
    sent = page.post(f"/sessions/{session.pk}/send", {"content": "one\r\ntwo"})
    wait_idle(session)
    message = session.messages.get(role="user")
    assert sent.headers["location"] == f"/sessions/{session.pk}#message-{message.pk}"
    assert said(session)[0] == ("user", "one\ntwo")
    assert len(said(session)) == 2


@pytest.mark.parametrize("content", ["", " \r\n", "x" * (CONTENT_CHARS + 1)])
def test_what_can_not_be_sent_is_refused(page: Client, session: Session, content: str) -> None:
    answer = page.post(f"/sessions/{session.pk}/send", {"content": content})
    assert (answer.status_code, said(session)) == (400, [])
    assert "That did not work" in answer.content.decode()


def test_a_busy_session_takes_no_form(page: Client, session: Session) -> None:
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    answer = page.post(f"/sessions/{session.pk}/send", {"content": "\r\nHi </textarea>"})
    assert (answer.status_code, said(session)) == (409, [])
    html = answer.content.decode()
    assert "The session is busy" in html
    assert ">\n\nHi &lt;/textarea&gt;</textarea>" in html  # HTML drops the first line end
    claims.release(session_id=session.pk, execution_id="e1")
