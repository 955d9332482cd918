"""What compactions leave in the database: a compare-and-set, counters, and what the model knows."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from agent.messages import Usage
from compaction_app import selectors, services
from compaction_app.compactor import Order, Report
from compaction_app.models import SessionCompaction, SessionCompactionReport
from compaction_app.policy import Outcome, Trigger
from sessions_app.models import Session

pytestmark = pytest.mark.storage


def report(outcome: Outcome = Outcome.COMPACTED, **fields: Any) -> Report:
    defaults = {
        "previous_boundary_id": None,
        "boundary_id": 5,
        "newest_id": 9,
        "before_tokens": 1_000,
        "after_tokens": 300,
        "summary": "All so far.",
        "usage": Usage(500, 20, 400),
        "model": "wire",
    }
    return Report(Order(Trigger.TOOL, "light"), outcome, **{**defaults, **fields})


def commit(session: Session, **fields: Any) -> bool:
    return services.commit(session_id=session.pk, report=report(**fields))


def in_force(session: Session) -> tuple[int, str, int]:
    row = SessionCompaction.objects.get(session=session)
    return row.last_compacted_msg_id, row.summary_text, row.compact_count


def test_the_first_commit_puts_its_summary_in_force(session: Session) -> None:
    assert commit(session)
    assert in_force(session) == (5, "All so far.", 1)


def test_the_next_one_takes_its_place_and_is_counted(session: Session) -> None:
    commit(session)
    assert commit(session, previous_boundary_id=5, boundary_id=8, summary="More.")
    assert in_force(session) == (8, "More.", 2)


@pytest.mark.parametrize("previous", [None, 3, 7])
def test_who_saw_another_boundary_changes_nothing(session: Session, previous: int | None) -> None:
    commit(session)
    assert not commit(session, previous_boundary_id=previous, boundary_id=8, summary="Late.")
    assert in_force(session) == (5, "All so far.", 1)


@pytest.mark.parametrize("boundary", [4, 5])
def test_the_boundary_only_rises(session: Session, boundary: int) -> None:
    commit(session)
    assert not commit(session, previous_boundary_id=5, boundary_id=boundary)
    assert in_force(session) == (5, "All so far.", 1)


def event(session: Session, outcome: Outcome = Outcome.COMPACTED, **fields: Any) -> Any:
    return services.event_create(
        session_id=session.pk, execution_id="e1", report=report(outcome, **fields)
    )


@pytest.mark.parametrize(
    ("outcome", "counted"),
    [
        (Outcome.COMPACTED, (1, 1, 0)),
        (Outcome.FAILED, (1, 0, 1)),
        (Outcome.CONFLICT, (1, 0, 0)),
        (Outcome.CANCELLED, (1, 0, 0)),
    ],
)
def test_acts_are_counted_by_how_they_ended(
    session: Session, outcome: Outcome, counted: tuple[int, int, int]
) -> None:
    event(session, outcome)
    found = selectors.report(session.pk)
    assert (found.acts, found.ok, found.errors) == counted
    assert (found.last_act or {})["outcome"] == outcome.value


def test_nothing_to_compact_is_no_act(session: Session) -> None:
    event(session, Outcome.NOTHING)
    assert not SessionCompactionReport.objects.exists()


def test_a_failure_is_kept_with_code_message_and_stack(session: Session) -> None:
    event(session, Outcome.FAILED, error="broken", error_code="model_error", error_stack="a.py:1 f")
    event(session)
    assert selectors.report(session.pk).last_error == {
        "code": "model_error",
        "message": "broken",
        "stack": "a.py:1 f",
    }


@pytest.mark.parametrize("counter", ["tool_calls", "intents", "expired", "missed"])
def test_counters_rise_one_by_one_for_their_session(session: Session, counter: str) -> None:
    for _ in range(3):
        services.report_count(session_id=session.pk, counter=counter)
    found = selectors.report(session.pk)
    names = ["tool_calls", "intents", "expired", "missed", "acts", "ok", "errors"]
    assert {name: getattr(found, name) for name in names} == {
        **dict.fromkeys(names, 0),
        counter: 3,
    }


def knows(session: Session, minutes: int | None) -> bool:
    """Whether the model knows of the tool, if the run before began so many minutes ago."""
    started = None if minutes is None else now() - timedelta(minutes=minutes)
    return services.knows_of_the_tool(session_id=session.pk, run_started_at=started)


def test_a_model_knows_of_the_tool_after_a_run_without_a_compaction(session: Session) -> None:
    assert (knows(session, None), knows(session, 5)) == (False, True)
    event(session, Outcome.FAILED)
    assert knows(session, 5) is True


def test_a_compaction_since_the_run_before_began_makes_it_forget(session: Session) -> None:
    event(session)
    assert (knows(session, 5), knows(session, -5)) == (False, True)
