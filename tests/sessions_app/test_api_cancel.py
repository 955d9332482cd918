from sessions_app.models import Claim, Session
from tests.sessions_app.rest import Rest


def test_it_asks_the_run_to_stop(api: Rest, running: Session) -> None:
    answer = api.generic("POST", f"/v1/sessions/{running.pk}/cancel")
    assert (answer.status_code, answer.json()) == (202, {})
    assert Claim.objects.get(session=running).cancel_requested


def test_it_is_fine_when_nothing_runs(api: Rest, session: Session) -> None:
    assert api.send("POST", f"/v1/sessions/{session.pk}/cancel", {}).status_code == 202
    assert not Claim.objects.get(session=session).cancel_requested


def test_it_takes_no_fields(api: Rest, session: Session) -> None:
    answer = api.send("POST", f"/v1/sessions/{session.pk}/cancel", {"force": True})
    assert answer.status_code == 400
    assert answer.json() == {"force": ["Unknown field; allowed: none."]}
