"""What must hold of a session whatever dies when. Each asserts on what is stored, as plain data."""

import re
from typing import Any

import orjson

from sessions_app.listener import PREVIEW_CHARS

Stored = dict[str, Any]

# All that the users of `scenarios.py` send.
WISH = re.compile(r"(read \w+\.txt\n?)+|go on|wish \d|rival \d+|e1")
SAVED = {"user_message_saved": "user", "assistant_message_saved": "assistant"}
GREW = {"frames", "messages", "events"}


def check_state(stored: Stored) -> None:
    """At any moment, swept or not."""
    assert stored["integrity"] == []
    seqs = [frame["seq"] for frame in stored["frames"]]
    assert seqs == list(range(1, stored["session"]["frame_seq"] + 1))
    _check_that_what_was_shown_is_stored(stored)
    _check_that_nobody_spoke_for_the_user(stored)
    _check_compactions(stored)
    _check_numbers(stored)


def check_sweep(left: Stored, buried: int, swept: Stored) -> None:
    """The sweep frees the claim at once, tells what happened, and leaves alone what was free."""
    held = left["claim"]["execution_id"]
    assert buried == bool(held)
    assert set(swept["claim"].values()) == {"", False}
    check_growth(left, swept)
    _check_ends_of_compactions(swept)
    _check_queued_are_answered(swept)
    if not held:
        assert swept == left
        return
    told = swept["frames"][len(left["frames"]) :]
    phase = {"run": "INTERRUPTED", "settling": "COMPLETED"}.get(left["claim"]["kind"])
    assert {frame["executionId"] for frame in told} == {held}
    assert swept["session"]["phase"] == (phase or left["session"]["phase"])
    if phase is None:
        assert (told[-1]["type"], told[-1]["outcome"]) == ("compaction_result", "failed")
        mine = [frame["type"] for frame in swept["frames"] if frame["executionId"] == held]
        assert mine[0] == "compaction_start"
        return
    assert (told[-1]["type"], told[-1]["phase"]) == ("session_status", phase)
    assert [run["phase"] for run in swept["runs"] if run["execution_id"] == held] == [phase]
    notices = [frame["code"] for frame in told if frame["type"] == "notice"]
    assert notices == (["run_interrupted"] if phase == "INTERRUPTED" else [])


def check_after(swept: Stored, after: Stored) -> None:
    """Another message was taken and answered; its requests were checked while they were sent."""
    check_growth(swept, after)
    _check_ends_of_compactions(after)
    _check_queued_are_answered(after)
    new = after["messages"][len(swept["messages"]) :]
    assert [message["role"] for message in new] == ["user", "assistant"]
    assert after["session"]["phase"] == after["runs"][-1]["phase"] == "COMPLETED"
    assert set(after["claim"].values()) == {"", False}


def check_growth(before: Stored, later: Stored) -> None:
    """What was stored stays, and stays first."""
    for table in GREW:
        assert later[table][: len(before[table])] == before[table]


def _check_that_what_was_shown_is_stored(stored: Stored) -> None:
    messages = {message["id"]: message for message in stored["messages"]}
    for frame in stored["frames"]:
        if frame["type"] in SAVED:
            row, shown = messages[frame["messageId"]], frame["message"]
            assert row["role"] == shown["role"] == SAVED[frame["type"]]
            assert (row["content"], row["tool_calls"]) == (shown["content"], shown["toolCalls"])
        if frame["type"] == "tool_call_result":
            row = messages[frame["message_id"]]
            assert (row["role"], row["tool_call_id"]) == ("tool", frame["tool_call_id"])
            assert row["content"][:PREVIEW_CHARS] == frame["result"]
        if frame["type"] == "tool_call_start":
            called = [c["id"] for m in stored["messages"] for c in m["tool_calls"]]
            assert frame["tool_call_id"] in called


def _check_that_nobody_spoke_for_the_user(stored: Stored) -> None:
    said = [m["content"] for m in stored["messages"] if m["role"] == "user"]
    assert all(WISH.fullmatch(text) for text in said)
    runs = [m["execution_id"] for m in stored["messages"] if m["role"] == "user"]
    assert [run["execution_id"] for run in stored["runs"]] == [run for run in runs if run]


def _check_compactions(stored: Stored) -> None:
    """Boundary, summary, count, event, marker and report are all there, or none of them."""
    done = [event for event in stored["events"] if event["outcome"] == "compacted"]
    undone = [event for event in stored["events"] if event["outcome"] == "undone"]
    markers = [frame for frame in stored["frames"] if frame["type"] == "compaction_marker"]
    assert [(m["id"], m["boundaryMsgId"]) for m in markers] == [
        (event["id"], event["boundary_msg_id"]) for event in done
    ]
    ends = [f for f in stored["frames"] if f["type"] == "compaction_end"]
    tried = [event for event in stored["events"] if event["outcome"] != "undone"]
    assert [(end["executionId"], end["outcome"]) for end in ends] == [
        (event["execution_id"], event["outcome"]) for event in tried
    ]
    acts = [event["outcome"] for event in tried if event["outcome"] != "nothing_to_compact"]
    assert stored["report"] == {
        "acts": len(acts),
        "ok": len(done),
        "errors": acts.count("failed"),
    }
    in_force = done[: len(done) - len(undone)]
    if not in_force:
        assert stored["compaction"] is None
        return
    assert stored["compaction"] == {
        "summary_text": in_force[-1]["summary_text"],
        "last_compacted_msg_id": in_force[-1]["boundary_msg_id"],
        "compact_count": len(in_force),
    }
    assert in_force[-1]["boundary_msg_id"] in {m["id"] for m in stored["messages"]}


def _check_numbers(stored: Stored) -> None:
    """Anchor and stored context are those of the last frames that speak of them."""
    anchor: int | None = None
    shown: dict[str, Any] | None = None
    for frame in stored["frames"]:
        if frame["type"] in {"compaction_marker", "compaction_undone"}:
            anchor = 0
        if frame["type"] == "message_end":
            anchor = frame["prompt_tokens"]
        if frame["type"] == "context_window":
            shown = {key: frame[key] for key in ("estimated", "actual", "manifest")}
    assert stored["session"]["anchor_tokens"] == anchor
    assert (stored["session"]["anchor_message_id"] is None) == (not anchor)
    kept = stored["session"]["context_frame"]
    assert (orjson.loads(kept) if kept else None) == shown


def _check_ends_of_compactions(stored: Stored) -> None:
    """Start, end, start, end, ..."""
    order = [f["type"] for f in stored["frames"]]
    order = [type_ for type_ in order if type_ in {"compaction_start", "compaction_end"}]
    assert order == ["compaction_start", "compaction_end"] * (len(order) // 2)


def _check_queued_are_answered(stored: Stored) -> None:
    """Who was told "queued" is told what became of it."""
    waiting = False
    for frame in stored["frames"]:
        waiting = waiting or frame["type"] == "compaction_queued"
        if frame["type"] in {"compaction_start", "compaction_result"}:
            waiting = False
    assert not waiting
