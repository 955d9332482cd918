import json
import threading
from collections.abc import Callable

import orjson
import pytest
from django.db import connection

from agent.errors import EventIdReused, SessionAlreadyRunning
from agent.tokens import TokenEstimator
from sessions_app import claims, interruption, runs
from sessions_app.models import (
    Claim,
    Message,
    ModelProfile,
    RequestLog,
    Run,
    Session,
    ToolOutput,
)
from tests.sessions_app.running import (
    frames,
    run,
    said,
    types,
    wait_idle,
    wait_until,
    wire_model,
    wire_tokens,
    write,
)
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")


@pytest.fixture
def wired(make_session: Callable[..., Session], wire: Wire) -> Session:
    return make_session(model=wire_model(wire.base_url))


def test_a_message_is_answered(session: Session) -> None:
    run(session, "hello")
    assert session.phase == Session.Phase.COMPLETED
    assert [role for role, _ in said(session)] == ["user", "assistant"]
    assert "rehearsal model" in said(session)[1][1]
    assert types(session) == [
        "user_message_saved",
        "session_status",
        "context_window",
        "assistant_message_saved",
        "message_end",
        "context_window",
        "session_status",
    ]


def test_an_untitled_session_takes_its_first_message_as_title(
    make_session: Callable[..., Session],
) -> None:
    assert run(make_session(title=""), "find the bug\nplease").title == "find the bug"


def test_a_tool_round_is_stored_as_it_completes(session: Session) -> None:
    write(session, "a.txt", "alpha")
    run(session, "read a.txt")
    roles = [role for role, _ in said(session)]
    assert roles == ["user", "assistant", "tool", "assistant"]
    call, result = frames(session, "tool_call_start", "tool_call_result")
    assert (call["tool_name"], result["status"]) == ("read_file", "success")
    assert orjson.loads(result["result"])["content"] == "alpha"
    assert "result_truncated" not in result


def test_a_cut_result_is_flagged_in_frame_and_metadata_and_kept_whole(session: Session) -> None:
    write(session, "whole.txt", "x" * 50_000)
    write(session, "cut.txt", "x" * 50_001)
    run(session, "read whole.txt cut.txt")
    flags = [f.get("result_truncated") for f in frames(session, "tool_call_result")]
    assert flags == [None, True]
    whole, cut = Message.objects.filter(session=session, role="tool")
    assert ("resultTruncated" in whole.metadata, cut.metadata["resultTruncated"]) == (False, True)
    assert ToolOutput.objects.get(message=cut).output == "x" * 50_001


def test_a_kept_output_of_many_megabytes_is_stored_in_pieces(session: Session) -> None:
    write(session, "huge.txt", "y" * 2_500_000)
    run(session, "read huge.txt")
    pieces = ToolOutput.objects.values_list("output", flat=True)
    assert [len(piece) for piece in pieces] == [1_000_000, 1_000_000, 500_000]


def test_what_was_sent_is_what_the_manifest_says(wired: Session, wire: Wire) -> None:
    write(wired, "AGENTS.md", "Be brief.")
    wire.script({"tool_calls": [{"name": "glob_search", "arguments": {"pattern": "*"}}]})
    run(wired, "## Session handoff\nwhat is here?")
    count = TokenEstimator().text
    for log, sent in zip(RequestLog.objects.order_by("id"), wire.requests(), strict=True):
        manifest = orjson.loads(log.manifest)
        system, *messages, notes = sent.body["messages"]
        tokens = {row["key"]: row for row in manifest["sections"]}
        assert "handoff" not in tokens
        assert tokens["messages"]["count"] == len(messages)
        assert tokens["messages"]["tokens"] == sum(map(wire_tokens, messages))
        assert tokens["context_notes"]["tokens"] == wire_tokens(notes)
        apart = {"messages", "context_notes"}
        prompt = sum(r["tokens"] for k, r in tokens.items() if k not in apart)
        assert abs(prompt - count(system["content"])) <= len(tokens)
        assert manifest["tools"]["count"] == len(sent.body["tools"])


def test_reload_snapshot_and_rest_show_what_was_pushed_last(session: Session) -> None:
    run(session, "hello")
    last = frames(session, "context_window")[-1]
    stored = orjson.loads(session.context_frame)
    assert stored == {key: last[key] for key in ("estimated", "actual", "manifest")}
    assert session.context_execution_id == last["executionId"]


def test_the_same_event_starts_one_run(session: Session) -> None:
    first = runs.start(session_id=session.pk, content="hi", event_id="m1")
    again = runs.start(session_id=session.pk, content="hi", event_id="m1")
    wait_idle(session)
    assert runs.start(session_id=session.pk, content="hi", event_id="m1") == first == again
    assert Message.objects.filter(session=session, role="user").count() == 1
    assert Run.objects.filter(session=session).count() == 1
    assert claims.current(session.pk) is None


def test_the_same_event_ten_times_at_once_starts_one_run(session: Session) -> None:
    started: list[object] = []

    def start() -> None:
        started.append(runs.start(session_id=session.pk, content="hi", event_id="m1"))
        connection.close()

    threads = [threading.Thread(target=start) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    wait_idle(session)
    assert len(started) == 10
    assert len(set(started)) == 1


def test_the_same_event_with_another_text_is_a_conflict(session: Session) -> None:
    run(session, "hi", "m1")
    with pytest.raises(EventIdReused, match="m1"):
        runs.start(session_id=session.pk, content="ho", event_id="m1")
    assert claims.current(session.pk) is None


def test_a_second_message_during_a_run_is_refused_before_it_is_saved(
    wired: Session, wire: Wire
) -> None:
    wire.script({"hang_after": 1})
    started = runs.start(session_id=wired.pk, content="slow", event_id="m1")
    with pytest.raises(SessionAlreadyRunning) as caught:
        runs.start(session_id=wired.pk, content="also this", event_id="m2")
    assert caught.value.execution_id == started.execution_id
    runs.cancel(session_id=wired.pk)
    wait_idle(wired)
    assert [text for role, text in said(wired) if role == "user"] == ["slow"]


def test_cancel_in_mid_stream_keeps_the_text_closes_the_connection_and_frees_the_session(
    wired: Session, wire: Wire
) -> None:
    wire.script({"text": "half an answer that goes on", "hang_after": 4})
    runs.start(session_id=wired.pk, content="go")
    wait_until(wire.requests)
    wait_until(lambda: Claim.objects.get(session=wired).partial.count("half"))
    runs.cancel(session_id=wired.pk)
    wait_idle(wired)
    assert wired.phase == Session.Phase.CANCELLED
    answer = Message.objects.get(session=wired, role="assistant")
    assert answer.content.startswith("half an")
    assert answer.metadata == {"cancelled": True}
    assert types(wired)[-2:] == ["cancelled", "session_status"]
    wire.wait_for(lambda found: found[0].disconnected)
    assert run(wired, "again").phase == Session.Phase.COMPLETED


def test_a_call_without_result_is_answered_in_the_next_request_only(
    wired: Session, wire: Wire
) -> None:
    run(wired, "hello")
    row = Message.objects.get(session=wired, role="assistant")
    row.tool_calls = [{"id": "lost", "name": "read_file", "arguments": "{}"}]
    row.save(update_fields=["tool_calls"])
    run(wired, "go on")
    sent = wire.requests()[-1].body["messages"]
    answers = [m["content"] for m in sent if m["role"] == "tool"]
    assert answers == ['{"error": "outcome unknown: interrupted"}']
    assert not Message.objects.filter(session=wired, role="tool").exists()


def test_a_model_error_ends_the_run_clearly_and_the_session_stays_usable(
    wired: Session, wire: Wire
) -> None:
    wire.script({"status": 400, "body": {"error": {"message": "no such parameter"}}})
    run(wired, "go")
    assert wired.phase == Session.Phase.FAILED
    error, status = frames(wired)[-2:]
    assert (error["type"], error["code"]) == ("error", "run_failed")
    assert "no such parameter" in error["message"]
    assert status["phase"] == "FAILED"
    assert RequestLog.objects.get(session=wired).stop_reason == "error"
    assert run(wired, "again").phase == Session.Phase.COMPLETED


def test_a_rate_limit_is_retried_and_shown(wired: Session, wire: Wire) -> None:
    wire.script({"status": 429, "headers": {"retry-after": "0.1"}, "body": {}}, {"text": "ok"})
    run(wired, "go")
    (retry,) = frames(wired, "llm_retry")
    assert (retry["statusCode"], retry["attempt"]) == (429, 1)
    assert said(wired)[-1] == ("assistant", "ok")


def test_a_provider_that_reports_no_usage_leaves_actual_null(wired: Session, wire: Wire) -> None:
    wire.script({"text": "hi", "usage": None})
    run(wired, "go")
    assert [f["actual"] for f in frames(wired, "context_window")] == [None, None]
    assert RequestLog.objects.get(session=wired).actual is None


def test_a_run_that_outgrows_its_window_ends_with_the_sizes(session: Session) -> None:
    ModelProfile.objects.filter(name="rehearsal").update(window_tokens=2_000)
    run(session, "word " * 1_500)
    assert session.phase == Session.Phase.FAILED
    assert "2,000" in frames(session, "error")[0]["message"]


def test_a_model_without_key_fails_with_the_variables_name(
    make_session: Callable[..., Session],
) -> None:
    model = ModelProfile.objects.create(name="x", provider="openai", key_variable="NO_SUCH_KEY")
    session = run(make_session(model=model), "go")
    assert "NO_SUCH_KEY" in frames(session, "error")[0]["message"]


def test_thinking_is_kept_with_its_message(wired: Session, wire: Wire) -> None:
    wire.script({"reasoning": "hm, well", "text": "yes"})
    run(wired, "go")
    (block,) = Message.objects.get(session=wired, role="assistant").metadata["thinking"]
    assert block["text"] == "hm, well"


def test_odd_characters_are_replaced_visibly_and_nothing_breaks(wired: Session, wire: Wire) -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": "nul \x00 lone \udc97 end"}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    wire.script({"sse": "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)})
    run(wired, "a\x00b\udc97c")
    assert said(wired) == [
        ("user", "a␀b\ufffdc"),
        ("assistant", "nul ␀ lone \ufffd end"),
    ]


def test_a_dead_run_is_marked_and_its_streamed_text_kept(session: Session) -> None:
    assert claims.take(session_id=session.pk, execution_id="dead", kind=Claim.Kind.RUN)
    message = Message.objects.create(session=session, role="user", content="q", execution_id="dead")
    Run.objects.create(session=session, execution_id="dead", message=message)
    Claim.objects.filter(session=session).update(
        lease_until_ms=1, partial='{"text": "half", "requestId": null}'
    )
    assert interruption.sweep() == 1
    assert interruption.sweep() == 0
    session.refresh_from_db()
    assert session.phase == Run.objects.get().phase == Session.Phase.INTERRUPTED
    assert types(session) == ["assistant_message_saved", "notice", "session_status"]
    assert said(session)[-1] == ("assistant", "half")
    assert run(session, "next").phase == Session.Phase.COMPLETED
