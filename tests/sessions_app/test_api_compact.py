from typing import Any

import pytest

from sessions_app import runs
from sessions_app.models import Claim, Session
from tests.sessions_app.compacting import HANGING
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import frames, wait_idle
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")


def compact(api: Rest, session: Session, **body: Any) -> Any:
    return api.send("POST", f"/v1/sessions/{session.pk}/compact", body)


def test_an_idle_session_is_compacted_at_once(api: Rest, talked: Session) -> None:
    answer = compact(api, talked, instructions=" the retries ", tier="light")
    execution_id = answer.json()["executionId"]
    assert execution_id.startswith("manual_compact_")
    assert (answer.status_code, answer.json()) == (
        202,
        {"status": "started", "executionId": execution_id},
    )
    wait_idle(talked)
    (result,) = frames(talked, "compaction_result")
    assert (result["executionId"], result["outcome"]) == (execution_id, "compacted")


def test_it_needs_no_body(api: Rest, talked: Session) -> None:
    answer = api.generic("POST", f"/v1/sessions/{talked.pk}/compact")
    assert answer.status_code == 202
    wait_idle(talked)


def test_a_second_request_meanwhile_is_the_same_compaction(
    api: Rest, talked: Session, wire: Wire
) -> None:
    wire.script(HANGING)
    first, second = compact(api, talked), compact(api, talked, tier="heavy")
    assert first.json() == second.json()
    refused = api.send("POST", f"/v1/sessions/{talked.pk}/messages", {"content": "now"})
    assert (refused.status_code, refused.json()) == (
        409,
        {
            "code": "session_already_running",
            "detail": "The session is busy: another run or compaction is in progress.",
            "executionId": first.json()["executionId"],
        },
    )
    runs.cancel(session_id=talked.pk)
    wait_idle(talked)
    sent = api.send("POST", f"/v1/sessions/{talked.pk}/messages", {"content": "now"})
    assert sent.status_code == 202
    wait_idle(talked)


def test_during_a_run_it_is_queued_and_the_last_words_win(api: Rest, running: Session) -> None:
    for body in ({"tier": "light"}, {"instructions": "errors", "tier": "heavy"}):
        answer = compact(api, running, **body)
    assert (answer.status_code, answer.json()) == (202, {"status": "queued", "executionId": "e1"})
    claim = Claim.objects.get(session=running)
    assert (claim.compact_requested, claim.compact_instructions, claim.compact_tier) == (
        True,
        "errors",
        "heavy",
    )


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({"tier": "tiny"}, "tier", "'tiny' is not valid; allowed: light, standard, heavy."),
        ({"tier": ""}, "tier", "'' is not valid; allowed: light, standard, heavy."),
        ({"tier": 1}, "tier", "1 is not valid; allowed: light, standard, heavy."),
        ({"instructions": "x" * 2_001}, "instructions", "Too long; allowed: at most 2000 char"),
        ({"instructions": 7}, "instructions", "7 is not a text; allowed: a JSON string."),
        ({"focus": "x"}, "focus", "Unknown field; allowed: instructions, tier."),
    ],
)
def test_bad_input_is_named_and_starts_nothing(
    api: Rest, session: Session, body: dict[str, Any], field: str, message: str
) -> None:
    answer = compact(api, session, **body)
    assert answer.status_code == 400
    assert answer.json()[field][0].startswith(message)
    assert Claim.objects.get(session=session).execution_id == ""


def test_instructions_are_cleaned(api: Rest, running: Session) -> None:
    assert compact(api, running, instructions=" a\0b\ud800" + "x" * 1_996).status_code == 202
    stored = Claim.objects.get(session=running).compact_instructions
    assert stored == "a\u2400b\ufffd" + "x" * 1_996
