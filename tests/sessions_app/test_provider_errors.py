"""Case C30: what each error of a provider leads to, in a session on the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from compaction_app.models import SessionCompactionEvent
from sessions_app.models import Message, ModelProfile, Session
from tests.sessions_app.compacting import HANDOFF, TOO_LONG
from tests.sessions_app.running import frames, run, said
from tests.shared_cases import needs_shared_cases, shared_case
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")

CASE = json.loads((Path(__file__).parent.parent / "cases" / "C30_overflow-error.json").read_text())
(ACTIONS,) = [check["actions"] for check in CASE["expect"] if check["check"] == "action_by_class"]
ERRORS = (shared_case("provider_errors.json") or {"errors": []})["errors"]
ROUNDS = 6
FINE = {"text": "fine"}


@pytest.fixture
def full(wired: Session) -> Session:
    """The case's session: 60,000 tokens of history in a window of 100,000."""
    ModelProfile.objects.filter(name="wire").update(window_tokens=CASE["input"]["window"])
    words = CASE["input"]["history_tokens"] // ROUNDS
    for n in range(ROUNDS):
        Message.objects.create(session=wired, role="user", content=f"wish {n}")
        Message.objects.create(session=wired, role="assistant", content="word " * words)
    return wired


def reply(error: Any) -> dict[str, Any]:
    """The wire's answer with this error."""
    if error["channel"] == "http":
        headers = error.get("headers") or {}
        return {"status": error["http_status"], "body": error["body"], "headers": headers}
    return {"chunks": [error["body"]]}


def happened(session: Session, wire: Wire) -> dict[str, Any]:
    """What the error led to."""
    return {
        "requests": len(wire.requests()),
        "compactions": [
            (event.trigger_mode, event.outcome) for event in SessionCompactionEvent.objects.all()
        ],
        "retries": len(frames(session, "llm_retry")),
        "phase": session.phase,
    }


def compact_then_one_retry(session: Session, wire: Wire) -> None:
    assert happened(session, wire) == {
        "requests": 3,
        "compactions": [("overflow", "compacted")],
        "retries": 0,
        "phase": "COMPLETED",
    }
    failed, _, again = (request.body for request in wire.requests())
    assert len(str(again)) < len(str(failed))
    assert said(session)[-1] == ("assistant", "fine")


def lower_max_tokens_then_retry(session: Session, wire: Wire) -> None:
    before, after = (request.body for request in wire.requests())
    assert after["max_tokens"] < before["max_tokens"]
    assert after["messages"] == before["messages"]
    assert happened(session, wire)["compactions"] == []
    assert said(session)[-1] == ("assistant", "fine")


def wait_then_retry(session: Session, wire: Wire) -> None:
    assert happened(session, wire) == {
        "requests": 2,
        "compactions": [],
        "retries": 1,
        "phase": "COMPLETED",
    }
    (notice,) = frames(session, "llm_retry")
    asked = wire.requests()[0].reply["headers"].get("retry-after")
    assert notice["delaySeconds"] == max(1.0, float(asked or 0))
    assert said(session)[-1] == ("assistant", "fine")


def feed_back(session: Session, wire: Wire) -> None:
    """The model has another try; nothing of the failed one is there that could be shown to it."""
    wait_then_retry(session, wire)


def fail_clearly(session: Session, wire: Wire) -> None:
    assert happened(session, wire) == {
        "requests": 1,
        "compactions": [],
        "retries": 0,
        "phase": "FAILED",
    }
    (error,) = frames(session, "error")
    assert str(wire.requests()[0].reply["status"]) in error["message"]
    assert run(session, "again").phase == "COMPLETED"


def nothing(session: Session, wire: Wire) -> None:
    assert happened(session, wire) == {
        "requests": 1,
        "compactions": [],
        "retries": 0,
        "phase": "COMPLETED",
    }


CHECKS = {
    "compact_then_one_retry": compact_then_one_retry,
    "lower_max_tokens_then_retry": lower_max_tokens_then_retry,
    "drop_media_or_fail_clearly": fail_clearly,
    "wait_then_retry": wait_then_retry,
    "fail_clearly": fail_clearly,
    "repair_or_fail_clearly": fail_clearly,
    "feed_back": feed_back,
    "nothing": nothing,
}


@needs_shared_cases
def test_there_is_an_error_for_every_action() -> None:
    classes = {error["expected_class"] for error in ERRORS}
    assert classes == {*ACTIONS, "silent_truncation", "silent_overflow"}
    assert set(ACTIONS.values()) == set(CHECKS)


@needs_shared_cases
@pytest.mark.parametrize(
    "error", [e for e in ERRORS if e["expected_class"] in ACTIONS], ids=lambda error: error["id"]
)
def test_an_error_leads_to_the_action_of_its_class(full: Session, wire: Wire, error: Any) -> None:
    wire.script(reply(error), HANDOFF, FINE)
    run(full, "go on")
    CHECKS[ACTIONS[error["expected_class"]]](full, wire)


@needs_shared_cases
@pytest.mark.parametrize(
    ("class_", "compactions"),
    [("silent_truncation", []), ("silent_overflow", [("idle", "compacted")])],
)
def test_a_silent_one_ends_no_run(
    full: Session, wire: Wire, class_: str, compactions: list[tuple[str, str]]
) -> None:
    (error,) = [e for e in ERRORS if e["expected_class"] == class_]
    wire.script(reply(error), HANDOFF)
    run(full, "go on")
    assert happened(full, wire)["compactions"] == compactions
    assert full.phase == "COMPLETED"


def test_a_second_overflow_after_the_compaction_fails_clearly(full: Session, wire: Wire) -> None:
    (check,) = [c for c in CASE["expect"] if c["check"] == "second_overflow_after_compaction"]
    overflow = {"status": 400, "body": TOO_LONG}
    wire.script(overflow, HANDOFF, overflow)
    run(full, "go on")
    assert (check["leads_to"], full.phase) == ("fail_clearly", "FAILED")
    assert len(wire.requests()) <= check["max_requests"]
    assert "too long" in frames(full, "error")[-1]["message"]
    assert run(full, "again").phase == "COMPLETED"
