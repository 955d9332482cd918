import orjson
from django.utils import timezone

from sessions_app.models import Session
from sessions_app.shapes import time_text
from tests.sessions_app.rest import Rest


def test_it_is_the_literal_null_before_the_first_push(api: Rest, session: Session) -> None:
    answer = api.get(f"/v1/sessions/{session.pk}/context")
    assert (answer.status_code, answer.content) == (200, b"null")
    assert answer["Content-Type"] == "application/json"


def test_it_shows_what_was_pushed_last(api: Rest, session: Session) -> None:
    manifest = {"sections": [], "memoryIds": [3], "estimatedWindowTokens": None}
    pushed = {"estimated": 120, "actual": None, "manifest": manifest}
    now = timezone.now()
    Session.objects.filter(pk=session.pk).update(
        context_frame=orjson.dumps(pushed).decode(),
        context_execution_id="e1",
        context_updated_at=now,
    )
    assert api.get(f"/v1/sessions/{session.pk}/context").json() == {
        **pushed,
        "executionId": "e1",
        "updatedAt": time_text(now),
    }


def test_it_says_when_a_push_had_no_manifest(api: Rest, session: Session) -> None:
    Session.objects.filter(pk=session.pk).update(context_frame='{"estimated": 9, "actual": 0}')
    assert api.get(f"/v1/sessions/{session.pk}/context").json() == {
        "estimated": 9,
        "actual": 0,
        "manifest": None,
        "executionId": None,
        "updatedAt": None,
    }
