"""`POST /v1/sessions/{id}/messages` where it starts a run."""

import pytest

from sessions_app.models import Session
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import wait_idle

pytestmark = pytest.mark.usefixtures("runs_end")


def test_it_starts_a_run_and_says_which(api: Rest, session: Session) -> None:
    answer = api.send("POST", f"/v1/sessions/{session.pk}/messages", {"content": "hello"})
    run = session.runs.get()
    assert answer.status_code == 202
    assert answer.json() == {"executionId": run.execution_id, "messageId": run.message_id}
    assert wait_idle(session).phase == Session.Phase.COMPLETED


def test_it_starts_one_run_for_the_same_event_twice(api: Rest, session: Session) -> None:
    path, body = f"/v1/sessions/{session.pk}/messages", {"content": "hello", "eventId": "e-1"}
    first = api.send("POST", path, body).json()
    wait_idle(session)
    assert api.send("POST", path, body).json() == first
    assert session.runs.count() == 1


def test_it_refuses_an_event_that_came_with_another_text(api: Rest, session: Session) -> None:
    path = f"/v1/sessions/{session.pk}/messages"
    api.send("POST", path, {"content": "hello", "eventId": "e-1"})
    wait_idle(session)
    answer = api.send("POST", path, {"content": "bye", "eventId": "e-1"})
    assert answer.status_code == 409
    assert answer.json() == {
        "code": "event_id_reused",
        "detail": "eventId 'e-1' was used before with another text.",
    }


def test_it_keeps_the_space_around_a_message(api: Rest, session: Session) -> None:
    api.send("POST", f"/v1/sessions/{session.pk}/messages", {"content": "  hello\n"})
    wait_idle(session)
    assert session.messages.order_by("id")[0].content == "  hello\n"


def test_it_takes_the_longest_message(api: Rest, session: Session) -> None:
    answer = api.send("POST", f"/v1/sessions/{session.pk}/messages", {"content": "x " * 100_000})
    assert answer.status_code == 202
    wait_idle(session)
