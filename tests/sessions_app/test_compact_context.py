"""The model asks for room through the real wire, and the run goes on by itself."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio
from django.contrib.auth.models import User

from compaction_app.models import SessionCompaction, SessionCompactionReport
from sessions_app.models import Message, RequestLog, Session
from sessions_app.run_loop import database
from tests.sessions_app.asking import (
    answers,
    asks,
    counters,
    events,
    is_summary,
    last,
    note,
    notes_of,
    receipts,
)
from tests.sessions_app.compacting import HANDOFF, read_round, texts, users
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import (
    compact,
    frames,
    run,
    said,
    types,
    wire_model,
    write,
)
from tests.sessions_app.socket_client import SocketClient, token_headers
from tests.wire.fixture import Wire

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("nobody_speaks_for_the_user"),
]

EXECUTED = "Your request to compact was executed: "


@pytest_asyncio.fixture
async def socket(half_full: Session, owner: User) -> AsyncIterator[SocketClient]:
    """The owner's socket on it, its snapshot taken."""
    client = SocketClient(half_full.pk, await database(token_headers, owner))
    await client.connect()
    yield client
    await client.leave()


async def stored_frames_to_the_end(socket: SocketClient) -> list[dict[str, Any]]:
    """The stored frames up to the one that says how the run ended."""
    frames = [await socket.take()]
    while frames[-1]["type"] != "session_status" or frames[-1]["data"]["phase"] == "RUNNING":
        frames.append(await socket.take())
    return [frame for frame in frames if frame["seq"] is not None]


async def test_it_calls_at_half_and_goes_on_working_in_the_same_run(
    half_full: Session, socket: SocketClient, wire: Wire
) -> None:
    wire.script(asks(reason="the answers are in"), HANDOFF, {"text": "and on"})
    await socket.send("send_message", content="go on", eventId="e1")
    shown = await stored_frames_to_the_end(socket)
    assert [frame["type"] for frame in shown] == [
        "user_message_saved",
        "session_status",
        "context_window",
        "assistant_message_saved",
        "message_end",
        "context_window",
        "tool_call_start",
        "tool_call_result",
        "compaction_start",
        "compaction_end",
        "compaction_marker",
        "context_window",
        "context_window",
        "context_window",
        "assistant_message_saved",
        "message_end",
        "context_window",
        "session_status",
    ]
    assert len({frame["data"]["executionId"] for frame in shown}) == 1
    by_type = {frame["type"]: frame["data"] for frame in shown}
    assert 0.4 < shown[5]["data"]["estimated"] / 20_000 < 0.6
    assert orjson.loads(by_type["tool_call_result"]["result"])["scheduled"] == "next-step"
    assert by_type["compaction_start"]["triggerMode"] == "tool"
    assert by_type["compaction_end"]["outcome"] == "compacted"
    assert by_type["session_status"] == {
        "phase": "COMPLETED",
        "executionId": shown[0]["data"]["executionId"],
    }


def test_the_rows_prove_the_order_and_no_user_row_is_new(half_full: Session, wire: Wire) -> None:
    wire.script(asks(reason="the answers are in"), HANDOFF, {"text": "and on"})
    run(half_full, "go on")
    assert [role for role, _ in said(half_full)[-4:]] == ["user", "assistant", "tool", "assistant"]
    assert users(half_full) == ["wish 0", "wish 1", "wish 2", "wish 3", "go on"]
    *_, first, summary, second = RequestLog.objects.filter(session=half_full).order_by("id")
    assert [first.kind, summary.kind, second.kind] == ["run", "summary", "run"]
    assert first.execution_id == summary.execution_id == second.execution_id
    boundary = SessionCompaction.objects.get().last_compacted_msg_id
    assert (first.boundary_message_id, second.boundary_message_id) == (None, boundary)
    carried, *rest = texts(wire.requests()[-1].body, "user")
    assert carried.startswith("## Session handoff")
    assert rest[-1] == "go on"


def test_each_counter_rises_by_one_and_the_report_has_the_act(
    half_full: Session, wire: Wire, api: Rest
) -> None:
    wire.script(asks(reason="full", tier="light"), HANDOFF)
    run(half_full, "go on")
    answer = api.get(f"/v1/sessions/{half_full.pk}/compactions").json()
    (event,) = answer["results"]
    assert answer["report"] == {
        "toolCalls": 1,
        "intents": 1,
        "expired": 0,
        "missed": 0,
        "acts": 1,
        "ok": 1,
        "errors": 0,
        "lastAct": {
            "trigger": "tool",
            "outcome": "compacted",
            "tier": "light",
            "prevBoundaryMsgId": None,
            "boundaryMsgId": event["boundaryMsgId"],
            "beforeTokens": event["beforeTokens"],
            "afterTokens": event["afterTokens"],
            "savedTokens": event["savedTokens"],
            "durationMs": event["durationMs"],
        },
        "lastError": None,
    }
    assert event["savedTokens"] > 5_000


def test_the_receipt_stands_in_exactly_one_later_request(half_full: Session, wire: Wire) -> None:
    read_round(wire, half_full)
    wire.script(asks(reason="full"), HANDOFF)
    read_round(wire, half_full, 601)
    run(half_full, "go on")
    run(half_full, "and now?")
    act = SessionCompactionReport.objects.get().last_act or {}
    at = [is_summary(request) for request in wire.requests()].index(True)
    assert note(wire.requests()[at + 1], "receipt") == (
        f"{EXECUTED}{act['savedTokens']:,} tokens saved, tier standard, {act['durationMs']:,} ms. "
        "Older messages are now the session handoff. Keep working."
    )
    assert len(receipts(wire)) == 1


def test_the_summary_hears_the_reason_as_the_models_own(half_full: Session, wire: Wire) -> None:
    wire.script(asks(reason="the answers are in"), HANDOFF)
    run(half_full, "go on")
    (summary,) = filter(is_summary, wire.requests())
    assert last(summary)["content"].endswith("no wish of the user: the answers are in")


def test_the_card_gives_the_numbers_of_its_request(half_full: Session, wire: Wire) -> None:
    run(half_full, "go on")
    (card,) = notes_of(wire, "card")
    manifest = frames(half_full, "context_window")[0]["manifest"]
    sizes = {row["key"]: row["tokens"] for row in manifest["sections"]}
    active = sum(sizes.values()) + manifest["tools"]["tokens"] - sizes["context_notes"]
    assert card.startswith(
        f"Context: {active:,} of 20,000 tokens ({active / 200:.0f}%); the line is at 16,000 "
        f"({16_000 - active:,} to go)."
    )
    assert f"light 1,600, standard 3,200, heavy {sizes['messages'] // 2:,} tokens" in card


def test_below_30_percent_there_is_no_card(wired: Session, wire: Wire) -> None:
    run(wired, "go on")
    assert notes_of(wire, "card") == [""]


def test_the_brief_is_in_the_first_run_and_the_first_after_a_compaction_only(
    wired: Session, wire: Wire
) -> None:
    briefed = []
    for content in ("first", "second", "third", "fourth"):
        before = len(notes_of(wire, "brief"))
        read_round(wire, wired)
        run(wired, content)
        briefed.append([bool(text) for text in notes_of(wire, "brief")[before:]])
        if content == "second":
            compact(wired)
    assert briefed == [[True, True], [False, False], [True, True], [False, False]]


@pytest.mark.parametrize("role", ["developer", "system", "user"])
def test_the_notes_stand_last_in_the_role_that_the_model_takes(
    session: Session, wire: Wire, role: str
) -> None:
    session.model = wire_model(wire.base_url, notes_role=role)
    session.save(update_fields=["model"])
    run(session, "hello")
    (request,) = wire.requests()
    assert last(request)["role"] == role
    assert last(request)["content"].startswith("<context_notes>")
    assert list(Message.objects.values_list("role", flat=True)) == ["user", "assistant"]


def test_the_rehearsal_model_shows_it_all_offline(session: Session) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        write(session, name, f"{name} " * 200)
    run(session, "read a.txt\nread b.txt")
    run(session, "compact the files are read\nread c.txt")
    assert events(session) == [("tool", "compacted", "standard")]
    assert counters(session) == {"tool_calls": 1, "intents": 1, "acts": 1, "ok": 1}
    assert answers(session)[0]["ok"] is True
    assert users(session) == ["read a.txt\nread b.txt", "compact the files are read\nread c.txt"]
    order = types(session)
    assert order.index("compaction_marker") < len(order) - 1 - order[::-1].index("tool_call_result")
    assert "Done: 2 tool calls, 0 failed" in said(session)[-1][1]
