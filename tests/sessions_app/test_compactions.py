"""Compactions by hand, while the session is idle or running."""

import threading
from typing import Any

import pytest
from django.db import connection

from agent.errors import SessionAlreadyRunning
from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)
from sessions_app import compactions, runs
from sessions_app.models import Claim, Message, RequestLog, Session
from tests.sessions_app.asking import counters
from tests.sessions_app.compacting import (
    HANDOFF,
    HANGING,
    INSTRUCTION,
    read_round,
    texts,
    tried,
    users,
)
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import (
    compact,
    frames,
    run,
    types,
    wait_idle,
    wait_until,
    wire_tokens,
    write,
)
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")


def test_by_hand_while_idle(talked: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    before = talked.context_tokens
    accepted = compact(talked)
    assert accepted.status == "started"
    assert accepted.execution_id.startswith("manual_compact_")
    assert types(talked)[-5:] == [
        "compaction_start",
        "compaction_end",
        "compaction_marker",
        "context_window",
        "compaction_result",
    ]
    start, marker = frames(talked, "compaction_start", "compaction_marker")
    assert start["triggerMode"] == marker["triggerMode"] == "manual"
    talked.refresh_from_db()
    assert (talked.context_tokens or 0) < (before or 0)
    assert talked.phase == Session.Phase.COMPLETED
    assert SessionCompaction.objects.get().compact_count == 1


def test_the_next_request_is_smaller_and_holds_the_handoff_once_and_the_tail(
    talked: Session, wire: Wire
) -> None:
    wire.script(HANDOFF)
    before = wire.requests()[-1].body["messages"]
    compact(talked)
    run(talked, "go on")
    sent = wire.requests()[-1].body
    assert len(str(sent["messages"])) < len(str(before))
    carried, *rest = texts(sent, "user")
    assert carried.startswith("## Session handoff")
    assert carried.count("All so far.") == str(sent).count("All so far.") == 1
    kept = Message.objects.filter(
        session=talked, id__gt=SessionCompaction.objects.get().last_compacted_msg_id
    )
    tail = [m.content for m in kept if m.role == "user"]
    assert rest == tail
    assert users(talked) == ["wish 0", "wish 1", "wish 2", "wish 3", "go on"]


def test_the_summary_request_is_a_prefix_with_one_instruction(talked: Session, wire: Wire) -> None:
    ordinary = wire.requests()[-1].body
    wire.script(HANDOFF)
    compact(talked, instructions="the retries")
    sent = wire.requests()[-1].body
    *prefix, last = sent["messages"]
    assert prefix == ordinary["messages"][: len(prefix)]
    assert sent["tools"] == ordinary["tools"]
    assert last["role"] == "user"
    assert last["content"].startswith(INSTRUCTION)
    assert last["content"].endswith("the retries")


def test_the_summary_calls_usage_is_in_the_event_and_never_the_sessions(
    talked: Session, wire: Wire
) -> None:
    usage = {"prompt_tokens": 77, "completion_tokens": 9, "total_tokens": 86}
    wire.script({**HANDOFF, "usage": usage})
    compact(talked)
    event = SessionCompactionEvent.objects.get()
    assert (event.prompt_tokens, event.cached_tokens, event.completion_tokens) == (77, None, 9)
    window = frames(talked, "context_window")[-1]
    assert window["actual"] == 0
    assert window["manifest"]["requestId"] is None
    assert window["estimated"] == event.after_tokens
    summary = RequestLog.objects.get(kind="summary")
    assert (summary.actual, summary.manifest, summary.stop_reason) == (77, "", "stop")


def test_a_summary_request_counts_all_that_was_sent(talked: Session, wire: Wire) -> None:
    wire.script({"text": "no handoff"}, HANDOFF)
    compact(talked)
    requests = wire.requests()[-2:]
    logs = RequestLog.objects.filter(kind="summary").order_by("id")
    assert [log.stop_reason for log in logs] == ["stop", "stop"]
    for log, sent in zip(logs, requests, strict=True):
        parts = sum(tokens for _, _, tokens, _ in log.parts)
        assert log.estimated - parts == sum(map(wire_tokens, sent.body["messages"][1:]))
    assert logs[0].estimated < logs[1].estimated  # the correction quotes the instruction


def test_what_a_summary_request_begins_with_ends_before_the_instruction(
    api: Rest, talked: Session, wire: Wire
) -> None:
    wire.script(HANDOFF)
    compact(talked)
    log = RequestLog.objects.get(kind="summary")
    path = f"/v1/sessions/{talked.pk}/requests/{log.pk}"
    instruction = wire_tokens(wire.requests()[-1].body["messages"][-1])
    assert api.get(path).json()["stablePrefixTokens"] == log.estimated - instruction


def test_the_manifest_has_a_handoff_with_a_summary_and_none_without(
    talked: Session, wire: Wire
) -> None:
    def keys(frame: dict[str, Any]) -> list[str]:
        return [row["key"] for row in frame["manifest"]["sections"]]

    assert "handoff" not in keys(frames(talked, "context_window")[-1])
    wire.script(HANDOFF)
    compact(talked)
    run(talked, "go on")
    assert "handoff" in keys(frames(talked, "context_window")[-1])


def test_nothing_to_compact_is_said_without_a_model_call(wired: Session, wire: Wire) -> None:
    run(wired, "hi")
    asked = len(wire.requests())
    compact(wired)
    start, end, result = frames(wired, "compaction_start", "compaction_end", "compaction_result")
    assert (start["messageCount"], end["outcome"]) == (0, "nothing_to_compact")
    assert (result["compacted"], result["failed"]) == (False, False)
    assert len(wire.requests()) == asked
    assert SessionCompactionEvent.objects.get().outcome == "nothing_to_compact"


def test_a_second_click_with_nothing_new_keeps_the_summary(talked: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    compact(talked)
    summary = SessionCompaction.objects.get()
    compact(talked)
    assert SessionCompaction.objects.get().summary_text == summary.summary_text
    assert frames(talked, "compaction_end")[-1]["outcome"] == "nothing_to_compact"


def test_a_failed_summary_harms_nothing_and_is_told(talked: Session, wire: Wire) -> None:
    wire.script({"when": "<handoff>", "text": "Sure!"}, {"when": "<handoff>", "text": "Sure!"})
    compact(talked)
    end, result = frames(talked, "compaction_end", "compaction_result")
    assert (end["outcome"], result["failed"]) == ("failed", True)
    assert "0 complete handoff blocks" in end["error"]
    assert not SessionCompaction.objects.exists()
    talked.refresh_from_db()
    assert talked.phase == Session.Phase.COMPLETED
    report = SessionCompactionReport.objects.get()
    assert (report.acts, report.ok, report.errors) == (1, 0, 1)
    assert (report.last_error or {})["code"] == "model_output_invalid"
    assert run(talked, "go on").phase == Session.Phase.COMPLETED


def test_a_message_during_an_idle_compaction_is_refused_and_works_afterwards(
    talked: Session, wire: Wire
) -> None:
    wire.script(HANGING)
    accepted = compactions.request(session_id=talked.pk)
    with pytest.raises(SessionAlreadyRunning) as caught:
        runs.start(session_id=talked.pk, content="now")
    assert caught.value.execution_id == accepted.execution_id
    runs.cancel(session_id=talked.pk)
    wait_idle(talked)
    assert run(talked, "now").phase == Session.Phase.COMPLETED


def test_an_idle_compaction_can_be_cancelled(talked: Session, wire: Wire) -> None:
    wire.script(HANGING)
    compactions.request(session_id=talked.pk)
    wait_until(lambda: "compaction_start" in types(talked))
    runs.cancel(session_id=talked.pk)
    wait_idle(talked)
    end, result = frames(talked, "compaction_end", "compaction_result")
    assert end["outcome"] == result["outcome"] == "cancelled"
    assert talked.phase == Session.Phase.COMPLETED
    assert not SessionCompaction.objects.exists()
    before = frames(talked, "compaction_start")[0]["estimatedTokens"]
    assert tried(talked) == [("manual", "cancelled", None, before, "", end["executionId"])]
    assert counters(talked) == {"acts": 1}


def test_ten_clicks_at_once_are_one_compaction(talked: Session, wire: Wire) -> None:
    wire.script({**HANDOFF, "delay": 0.5})
    accepted: list[compactions.Accepted] = []

    def click() -> None:
        accepted.append(compactions.request(session_id=talked.pk))
        connection.close()

    threads = [threading.Thread(target=click) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    wait_idle(talked)
    assert len(set(accepted)) == 1
    assert accepted[0].status == "started"
    assert types(talked).count("compaction_start") == 1


def test_a_click_during_a_run_is_queued_and_done_after_the_round(
    talked: Session, wire: Wire
) -> None:
    read_round(wire, talked)
    wire.script({"when": "wish 0", "text": "never"}, HANDOFF)
    write(talked, "slow.txt", "x")
    runs.start(session_id=talked.pk, content="read it")
    accepted = compactions.request(session_id=talked.pk, tier="light")
    wait_idle(talked)
    assert accepted.status == "queued"
    events = SessionCompactionEvent.objects.all()
    assert [(e.trigger_mode, e.outcome, e.tier) for e in events] == [
        ("manual", "compacted", "light")
    ]
    order = [t for t in types(talked) if t.startswith(("compaction", "tool_call_result"))]
    assert order[-1] == "compaction_marker"
    assert users(talked)[-1] == "read it"
    claim = Claim.objects.get(session=talked)
    assert (claim.execution_id, claim.compact_requested) == ("", False)


def test_a_click_in_the_last_plain_text_round_is_honoured(talked: Session, wire: Wire) -> None:
    wire.script({"text": "slow answer", "piece": 1, "pause": 0.05}, HANDOFF)
    runs.start(session_id=talked.pk, content="talk")
    wait_until(lambda: len(wire.requests()) == 2)
    clicks = [compactions.request(session_id=talked.pk) for _ in range(10)]
    wait_idle(talked)
    assert {click.status for click in clicks} == {"queued"}
    assert types(talked).count("compaction_marker") == 1
    assert talked.phase == Session.Phase.COMPLETED


def test_a_click_before_a_cancel_is_dropped_and_said_and_does_not_leak(
    talked: Session, wire: Wire
) -> None:
    wire.script({"hang_after": 1})
    runs.start(session_id=talked.pk, content="talk")
    compactions.request(session_id=talked.pk)
    runs.cancel(session_id=talked.pk)
    wait_idle(talked)
    (result,) = frames(talked, "compaction_result")
    assert result["outcome"] == "cancelled"
    run(talked, "next")
    assert "compaction_start" not in types(talked)
