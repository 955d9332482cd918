import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ModelError, ModelUnavailable
from agent.messages import Message, ModelResponse, StreamEvent, ToolCall, Usage
from agent.request import ModelRequest
from agent.testing import ScriptedClient, check_pairs
from compaction_app import handoff
from compaction_app.compactor import Order
from compaction_app.policy import Outcome, Trigger
from tests.compaction_app.histories import stored
from tests.compaction_app.stored_records import StoredRecords, compact, make, said, some_rounds


async def test_it_puts_a_summary_in_place_of_the_older_messages() -> None:
    records = StoredRecords(some_rounds())
    before = await records.current()
    report, after = await compact(make(records, said("All so far.")), records)
    assert report.outcome == Outcome.COMPACTED
    assert after.summary.startswith("All so far.\n\nSaid by the user earlier:\n> wish 0\n")
    assert after.boundary_id == report.boundary_id
    assert after.history.tokens < before.history.tokens
    assert report.usage == Usage(500, 20, 400)
    assert records.told == [
        ("begun", Trigger.MANUAL, report.message_count),
        "asked",
        "answered",
        "committed",
    ]


async def test_after_tokens_is_what_the_next_request_is_estimated_at() -> None:
    records = StoredRecords(some_rounds())
    compactor = make(records, said("All so far."))
    report, after = await compact(compactor, records)
    assert report.after_tokens == compactor.builder.build(after).estimated
    assert report.saved_tokens == report.before_tokens - report.after_tokens


async def test_the_summary_request_is_a_prefix_of_the_ordinary_one_plus_the_instruction() -> None:
    records = StoredRecords(some_rounds())
    compactor = make(records, said("x"))
    conversation = await records.current()
    ordinary = compactor.builder.build(conversation)
    order = Order(Trigger.MANUAL, "standard", focus=" retries ")
    await compactor.compact(conversation, order, before=1)
    client = compactor.summariser.client
    assert isinstance(client, ScriptedClient)
    (request,) = client.requests
    assert (request.system, request.tools, request.notes) == (ordinary.system, ordinary.tools, "")
    assert all(a is b for a, b in zip(request.messages, ordinary.messages, strict=False))
    assert request.instruction == handoff.instruction("en", limit=800, focus="retries")
    assert request.max_output_tokens == 800


async def test_nothing_before_the_last_round_makes_no_model_call() -> None:
    records = StoredRecords(some_rounds(1)[:3])
    report, _ = await compact(make(records), records)
    assert report.outcome == Outcome.NOTHING
    assert records.told == [("begun", Trigger.MANUAL, 0), ("ended", Outcome.NOTHING)]


async def test_an_automatic_trigger_with_nothing_to_do_says_nothing() -> None:
    records = StoredRecords(some_rounds(1)[:3])
    report, _ = await compact(make(records), records, Trigger.MID_LOOP)
    assert (report.outcome, records.told) == (Outcome.NOTHING, [])


async def test_a_second_compaction_with_nothing_new_keeps_the_summary() -> None:
    records = StoredRecords(some_rounds())
    compactor = make(records, said("the key is 7319"))
    await compact(compactor, records)
    report, after = await compact(compactor, records)
    assert report.outcome == Outcome.NOTHING
    assert after.summary.startswith("the key is 7319\n")


async def test_the_next_summary_is_made_from_the_one_before_and_the_new_messages() -> None:
    records = StoredRecords(some_rounds())
    compactor = make(records, said("> wish 0\nFirst."), said("Second."))
    _, first = await compact(compactor, records)
    records.messages += [
        Message("user", "more", id=900),
        Message("assistant", "word " * 400, id=901),
        Message("user", "and", id=902),
        Message("assistant", "done", id=903),
    ]
    _, after = await compact(compactor, records)
    client = compactor.summariser.client
    assert isinstance(client, ScriptedClient)
    assert first.summary.startswith("> wish 0\nFirst.\n\nSaid by the user earlier:\n> wish 1\n")
    assert client.requests[1].handoff == f"Handoff: {first.summary}"
    assert after.summary.startswith("Second.\n\nSaid by the user earlier:\n> wish 0\n> wish 1\n")


async def test_an_invalid_reply_is_corrected_once_without_the_bad_reply() -> None:
    records = StoredRecords(some_rounds())
    compactor = make(records, "Sure, here it is!", said("x"))
    report, _ = await compact(compactor, records)
    client = compactor.summariser.client
    assert isinstance(client, ScriptedClient)
    first, second = client.requests
    assert report.outcome == Outcome.COMPACTED
    assert list(first.messages) == list(second.messages)
    assert "0 complete handoff blocks" in second.instruction


BAD = ModelResponse("", tool_calls=(ToolCall("a", "read", "{}"),))


@pytest.mark.parametrize(
    "replies", [["no", "no"], [BAD, "<handoff> </handoff>"], [ModelError("broken")]]
)
async def test_a_failed_summary_changes_nothing_and_says_why(replies: list[Any]) -> None:
    records = StoredRecords(some_rounds())
    before = await records.current()
    report, after = await compact(make(records, *replies), records)
    assert report.outcome == Outcome.FAILED
    assert report.error
    assert (records.boundary_id, records.summary) == (None, "")
    assert after.history.messages() == before.history.messages()
    assert records.told[-1] == ("ended", Outcome.FAILED)


async def test_a_lost_connection_is_tried_again() -> None:
    records = StoredRecords(some_rounds())
    report, _ = await compact(make(records, ModelUnavailable("gone"), said("x")), records)
    assert report.outcome == Outcome.COMPACTED
    assert "retrying" in records.told


async def test_under_overflow_a_failed_summary_becomes_an_extract() -> None:
    records = StoredRecords(some_rounds())
    report, after = await compact(make(records, ModelError("too long")), records, Trigger.OVERFLOW)
    assert report.outcome == Outcome.COMPACTED
    assert "without a model" in after.summary
    assert "> wish 0" in after.summary
    assert report.error == "too long"


async def test_a_summary_request_that_does_not_fit_is_not_sent() -> None:
    records = StoredRecords(some_rounds())
    report, after = await compact(make(records, window=1_500), records)
    assert report.outcome == Outcome.COMPACTED
    assert "without a model" in after.summary
    assert "asked" not in records.told


async def test_who_loses_the_race_goes_on_with_the_winners_state() -> None:
    records = StoredRecords(some_rounds(), lose=True)
    report, after = await compact(make(records, said("mine")), records)
    assert report.outcome == Outcome.CONFLICT
    assert after.summary == "of the winner"
    assert records.told[-1] == ("ended", Outcome.CONFLICT)


class Hanging:
    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        await asyncio.sleep(60)
        yield said("never")


async def test_a_cancelled_compaction_is_ended_once() -> None:
    records = StoredRecords(some_rounds())
    task = asyncio.create_task(compact(make(records, client=Hanging()), records))
    while "asked" not in records.told:
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ends = [one for one in records.told if one[0] == "ended"]
    assert ends == [("ended", Outcome.CANCELLED)]


class CancelledAtItsStart(StoredRecords):
    """Like a database: a cancelled caller hears of it when the start is stored."""

    async def begun(self, order: Order, *, message_count: int, estimated_tokens: int) -> None:
        await super().begun(order, message_count=message_count, estimated_tokens=estimated_tokens)
        raise asyncio.CancelledError


@pytest.mark.parametrize("rounds", [6, 0])
async def test_one_that_is_cancelled_while_it_says_that_it_starts_is_ended_too(rounds: int) -> None:
    records = CancelledAtItsStart(some_rounds(rounds))
    with pytest.raises(asyncio.CancelledError):
        await compact(make(records), records)
    begun, end = records.told
    assert (begun[:2], end) == (("begun", Trigger.MANUAL), ("ended", Outcome.CANCELLED))


@settings(max_examples=60, deadline=None)
@given(stored, st.lists(st.sampled_from(["light", "standard", "heavy"]), min_size=1, max_size=5))
async def test_chained_compactions_keep_every_request_sound(
    messages: list[Message], tiers: list[str]
) -> None:
    records = StoredRecords(messages)
    users = [m for m in messages if m.role == "user"]
    compactor = make(records, *[said(f"pass {n}") for n in range(len(tiers))], window=50_000)
    boundary = 0
    for tier in tiers:
        compactor.newest_id = None
        conversation = await records.current()
        _, after = await compactor.compact(
            conversation, Order(Trigger.MANUAL, tier), before=conversation.history.tokens
        )
        sent = after.history.messages()
        check_pairs(sent)
        assert not sent or sent[0].role != "tool"
        assert (after.boundary_id or 0) >= boundary
        boundary = after.boundary_id or 0
    assert [m for m in records.messages if m.role == "user"] == users
