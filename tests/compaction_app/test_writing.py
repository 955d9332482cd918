"""What a summary may weigh: its limit, what is carried on, and that it must gain room."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ModelError
from agent.messages import ModelResponse, Usage
from agent.testing import ScriptedClient
from agent.tokens import TokenEstimator
from compaction_app.policy import Outcome, Trigger
from compaction_app.writing import NOT_REPORTED, most_stored
from tests.compaction_app.histories import answer, numbered, user
from tests.compaction_app.stored_records import StoredRecords, compact, make, said, some_rounds

LIMIT = 800  # of the window that `make` gives
count = TokenEstimator().text


def of(tokens: int, usage: Usage = NOT_REPORTED) -> ModelResponse:
    """A well-formed reply of so many tokens."""
    return replace(said(("word " * tokens).strip()), usage=usage)


async def test_a_reply_over_the_limit_is_corrected_once_and_named() -> None:
    records = StoredRecords(some_rounds(9))
    compactor = make(records, of(9_000), of(LIMIT))
    report, after = await compact(compactor, records)
    client = compactor.summariser.client
    assert isinstance(client, ScriptedClient)
    assert (report.outcome, count(after.summary) >= LIMIT) == (Outcome.COMPACTED, True)
    assert "it has about 9,000 tokens, at most 800 are allowed" in client.requests[1].instruction


@pytest.mark.parametrize("trigger", [Trigger.MANUAL, Trigger.REQUEST_START])
async def test_twice_over_the_limit_is_a_failure(trigger: Trigger) -> None:
    records = StoredRecords(some_rounds(40))
    report, after = await compact(make(records, of(LIMIT + 1), of(6_000)), records, trigger)
    assert (report.outcome, after.summary, records.boundary_id) == (Outcome.FAILED, "", None)
    assert (report.error, report.error_code) == (
        "it has about 6,000 tokens, at most 800 are allowed",
        "model_output_invalid",
    )


async def test_under_overflow_an_extract_takes_its_place() -> None:
    records = StoredRecords(some_rounds(40))
    report, after = await compact(make(records, of(2_000), of(2_000)), records, Trigger.OVERFLOW)
    assert report.outcome == Outcome.COMPACTED
    assert "without a model" in after.summary
    assert count(after.summary) <= LIMIT


@pytest.mark.parametrize(
    ("tokens", "own", "outcome"),
    [
        (1_100, 700, Outcome.COMPACTED),
        (1_100, 900, Outcome.FAILED),
        (1_100, None, Outcome.FAILED),
        (1_100, 0, Outcome.FAILED),
        (1_300, 700, Outcome.FAILED),
    ],
)
async def test_where_the_provider_counts_fewer_tokens_its_count_holds_within_bounds(
    tokens: int, own: int | None, outcome: Outcome
) -> None:
    records = StoredRecords(some_rounds(40))
    reply = of(tokens, Usage(5, own))
    report, _ = await compact(make(records, reply, reply), records)
    assert report.outcome == outcome


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 1_300), st.sampled_from([None, 500]), st.lists(st.text(), max_size=20))
async def test_whatever_is_written_and_carried_on_a_stored_summary_has_its_most(
    tokens: int, own: int | None, wishes: list[str]
) -> None:
    messages = [m for wish in wishes for m in (user(wish), answer("word " * 200))]
    records = StoredRecords(numbered([*messages, user("new")]), summary="> tabs\n" * 400)
    reply = of(tokens, Usage(5, own))
    report, after = await compact(make(records, reply, reply), records)
    if report.outcome == Outcome.COMPACTED:
        assert count(after.summary) <= most_stored(LIMIT)


async def test_the_session_models_window_limits_what_another_model_writes() -> None:
    records = StoredRecords(some_rounds(40))
    compactor = make(records, of(3_000), of(3_000))
    larger = replace(compactor.summariser.spec, window_tokens=200_000)
    writer = replace(compactor.writer, summariser=replace(compactor.summariser, spec=larger))
    compactor.writer = writer
    report, _ = await compact(compactor, records)
    assert report.outcome == Outcome.FAILED


AUTOMATIC = [Trigger.REQUEST_START, Trigger.MID_LOOP, Trigger.IDLE]


@pytest.mark.parametrize("trigger", AUTOMATIC)
async def test_an_automatic_one_that_gains_nothing_fails_and_changes_nothing(
    trigger: Trigger,
) -> None:
    records = StoredRecords(some_rounds(3))
    report, after = await compact(make(records, of(700)), records, trigger)
    assert (report.outcome, report.error_code) == (Outcome.FAILED, "nothing_gained")
    assert report.error == "The summary would take no less room than what it replaces."
    assert (records.boundary_id, after.summary) == (None, "")
    assert records.told[-1] == ("ended", Outcome.FAILED)


@pytest.mark.parametrize("trigger", [Trigger.MANUAL, Trigger.TOOL])
async def test_a_wished_one_is_done_also_where_it_gains_nothing(trigger: Trigger) -> None:
    records = StoredRecords(some_rounds(3))
    report, _ = await compact(make(records, of(700)), records, trigger)
    assert (report.outcome, report.saved_tokens) == (Outcome.COMPACTED, 0)


async def test_an_overflow_gains_room_with_an_extract_or_changes_nothing() -> None:
    tiny = StoredRecords(numbered([user("hi"), answer("ok"), user("word " * 9_000)]))
    report, after = await compact(make(tiny, of(700)), tiny, Trigger.OVERFLOW)
    assert (report.outcome, report.error_code) == (Outcome.FAILED, "nothing_gained")
    assert after.boundary_id is None
    records = StoredRecords(some_rounds(3))
    report, after = await compact(make(records, of(700)), records, Trigger.OVERFLOW, smallest=True)
    assert (report.outcome, report.error_code) == (Outcome.COMPACTED, "nothing_gained")
    assert "without a model" in after.summary


async def test_where_not_even_an_empty_summary_gains_room_no_model_is_asked() -> None:
    tiny = StoredRecords(numbered([user("hi"), answer("ok"), user("word " * 9_000)]))
    compactor = make(tiny)
    compactor.wrap = lambda summary: "This is history. " * 20 + summary
    for trigger in (Trigger.OVERFLOW, *AUTOMATIC):
        report, _ = await compact(compactor, tiny, trigger)
        assert report.outcome == Outcome.NOTHING
    assert "asked" not in tiny.told


@pytest.mark.parametrize("reply", [ModelError("down"), None])
async def test_a_session_with_an_oversized_summary_recovers(reply: Any) -> None:
    messages = numbered([user("one"), answer("ok"), user("failed"), user("new")])
    summary = "> never touch b\n" + "word " * (5_000 if reply else 30_000)
    records = StoredRecords(messages, boundary_id=1, summary=summary)
    compactor = make(records, *([reply] if reply else []))
    report, after = await compact(compactor, records, Trigger.OVERFLOW, smallest=True)
    assert report.outcome == Outcome.COMPACTED
    assert count(after.summary) <= LIMIT
    assert "> never touch b" in after.summary
    assert [message.content for message in after.history.messages()] == ["new"]
