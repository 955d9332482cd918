"""The fault cases of compaction: pairs, signed thinking, loss. Every check as its case says it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from agent.clients.openai_wire import request_body, wire_history
from agent.errors import AgentError, ContextOverflow, ModelUnavailable
from agent.messages import ModelResponse, ToolCall
from agent.request import ModelRequest
from agent.retry import RetryPolicy
from agent.testing import ScriptedClient, check_pairs, make_builder
from compaction_app.compactor import Compactor, Order, Report
from compaction_app.policy import SHARES, Outcome, Trigger
from compaction_app.ranges import allowed_cuts
from compaction_app.summariser import Summariser
from tests.compaction_app.fault_messages import MESSAGE_TOKENS, Fault, fault
from tests.compaction_app.stored_records import StoredRecords

TIER = "standard"
SUMMARY = "<handoff>SUMMARY</handoff>"
TRIGGERS = [Trigger.MANUAL, Trigger.MID_LOOP]
Check = dict[str, Any]


@dataclass(frozen=True)
class Compacted:
    """A case after its compaction: what is stored, and the next request."""

    fault: Fault
    records: StoredRecords
    report: Report
    request: ModelRequest

    @property
    def wire(self) -> list[dict[str, Any]]:
        """The request's messages as they are sent."""
        history = wire_history(self.request.messages, vision=False)
        messages: list[dict[str, Any]] = request_body(self.request, own_api=True, history=history)[
            "messages"
        ]
        return messages


async def compacted(
    case: Fault, *, cut: int, trigger: Trigger, replies: list[Any] | None = None
) -> Compacted:
    """Compact a fresh copy with a tail budget that falls on the cut."""
    records = StoredRecords(list(case.messages))
    if case.summary:
        records.boundary_id, records.summary = 1, case.summary
    kept = MESSAGE_TOKENS * max(len(case.messages) - cut, 1)
    builder = make_builder(window=math.ceil(kept / SHARES[TIER]))
    summariser = Summariser(
        client=ScriptedClient([SUMMARY] if replies is None else replies),
        spec=make_builder().spec,
        max_tokens=12_000,
        retry=RetryPolicy(max_retries=1, first_delay=0.001),
    )
    compactor = Compactor(builder=builder, summariser=summariser, records=records, language="en")
    before = await records.current()
    report, after = await compactor.compact(
        before, Order(trigger, TIER), before=before.history.tokens
    )
    return Compacted(case, records, report, builder.build(after))


def pairs_valid(result: Compacted, check: Check) -> None:
    check_pairs(result.request.messages)
    waiting: list[str] = []
    for message in result.wire:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert waiting == []


def together(result: Compacted, check: Check) -> None:
    calls = {call.id for message in result.request.messages for call in message.tool_calls}
    results = {message.tool_call_id for message in result.request.messages}
    for id_ in check["ids"]:
        assert (id_ in calls) is (id_ in results)


def groups_whole(result: Compacted, check: Check) -> None:
    boundary = result.records.boundary_id or 0
    stored = result.fault.messages
    for message in stored:
        ids = {call.id for call in message.tool_calls}
        answers = [other for other in stored if other.tool_call_id in ids]
        assert len({(each.id or 0) <= boundary for each in [message, *answers]}) == 1


def last_user_kept(result: Compacted, check: Check) -> None:
    said = [message.content for message in result.request.messages if message.role == "user"]
    assert said[-1] == check["text"]


def contains_text(result: Compacted, check: Check) -> None:
    assert any(check["text"] in str(message["content"]) for message in result.wire)


def summary_count(result: Compacted, check: Check) -> None:
    sent = [message["content"] for message in result.wire]
    assert sum(str(text).startswith("Handoff: ") for text in sent) <= check["max"]


def thinking_unchanged_or_absent(result: Compacted, check: Check) -> None:
    given = {block for message in result.fault.messages for block in message.thinking}
    sent = {block for message in result.request.messages for block in message.thinking}
    assert sent <= given


def repeat_for_each_cut(result: Compacted, check: Check) -> None:
    """`SWEEP` does."""


CHECKS: dict[str, Callable[[Compacted, Check], None]] = {
    check.__name__: check
    for check in (
        pairs_valid,
        together,
        groups_whole,
        last_user_kept,
        contains_text,
        summary_count,
        thinking_unchanged_or_absent,
        repeat_for_each_cut,
    )
}
SWEEP = [
    (name, cut)
    for name in ("C01_pair", "C04_pair", "C06_pair", "C08_thinking", "C13_loss")
    for cut in fault(name).cuts()
]


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize(("name", "cut"), SWEEP)
async def test_a_case_holds_at_its_cut(name: str, cut: int, trigger: Trigger) -> None:
    result = await compacted(fault(name), cut=cut, trigger=trigger)
    assert result.report.outcome in {Outcome.COMPACTED, Outcome.NOTHING}
    assert result.fault.expect
    for check in result.fault.expect:
        CHECKS[check["check"]](result, check)


async def test_the_sweep_reaches_every_cut_that_is_allowed() -> None:
    case = fault("C01_pair")
    history = (await StoredRecords(case.messages).current()).history
    last = [history.groups[k - 1].sent()[-1].id for k in allowed_cuts(history.groups)]
    reached = [
        (await compacted(case, cut=cut, trigger=Trigger.MID_LOOP)).records.boundary_id
        for cut in case.cuts()
    ]
    assert set(last) == {boundary for boundary in reached if boundary is not None}


async def test_case_c13_keeps_the_summary_as_it_is() -> None:
    result = await compacted(fault("C13_loss"), cut=0, trigger=Trigger.MANUAL)
    assert (result.report.outcome, result.records.summary) == (
        Outcome.NOTHING,
        "the key is 7319",
    )


def bad_reply(given: dict[str, Any]) -> AgentError | ModelResponse:
    """What the summariser gives in C12a."""
    if "http" in given:
        return ModelUnavailable("no answer", status_code=given["http"])
    if "context_overflow" in given:
        return ContextOverflow("prompt is too long")
    if "tool_calls_only" in given:
        return ModelResponse(tool_calls=(ToolCall("a", "read_file", "{}"),))
    return ModelResponse(given["text"])


C12A = fault("C12a_loss")


@pytest.mark.parametrize("given", C12A.input["summary_replies"], ids=str)
@pytest.mark.parametrize("cut", [2, 10, 20])
async def test_case_c12a_a_failed_summary_changes_nothing_and_is_told(
    given: dict[str, Any], cut: int
) -> None:
    assert [check["check"] for check in C12A.expect] == [
        "history_unchanged_for_each",
        "error_visible_for_each",
        "no_boundary_stored_for_each",
    ]
    untouched = await StoredRecords(C12A.messages).current()
    result = await compacted(C12A, cut=cut, trigger=Trigger.MANUAL, replies=[bad_reply(given)] * 2)
    assert list(result.request.messages) == list(untouched.history.messages())
    assert (result.report.outcome, result.records.told[-1]) == (
        Outcome.FAILED,
        ("ended", Outcome.FAILED),
    )
    assert result.report.error
    assert (result.records.boundary_id, result.records.summary) == (None, "")
