"""Every way to a compaction, as two pages of the same session see it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from django.contrib.auth.models import User
from pytest_django import Settings

from sessions_app import claims, runs
from sessions_app.models import Message, Session
from sessions_app.run_loop import database
from tests.sessions_app.compacting import HANDOFF, HANGING, TOO_LONG, read_round, texts, users
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import run, wait_until
from tests.sessions_app.socket_client import SocketClient, leave_all, token_headers
from tests.wire.fixture import Wire

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]

IDLE_COMPACTION = [
    "compaction_start",
    "compaction_end",
    "compaction_marker",
    "context_window",
    "compaction_result",
]
Pages = tuple[SocketClient, SocketClient]


@pytest_asyncio.fixture
async def pages(wired: Session, owner: User) -> AsyncIterator[Pages]:
    """Two open pages of the session, their snapshots taken."""
    headers = await database(token_headers, owner)
    clients = (SocketClient(wired.pk, headers), SocketClient(wired.pk, headers))
    for client in clients:
        await client.connect()
    yield clients
    await database(runs.cancel, session_id=wired.pk)
    await database(wait_until, lambda: claims.current(wired.pk) is None)
    await leave_all(clients)


async def both_see(pages: Pages, type_: str, **data: Any) -> list[dict[str, Any]]:
    """The stored frames up to one of this type with this data; both pages get the same."""
    seen = []
    for page in pages:
        frames = [await page.take()]
        while not (frames[-1]["type"] == type_ and data.items() <= frames[-1]["data"].items()):
            frames.append(await page.take())
        seen.append([frame for frame in frames if frame["seq"] is not None])
    assert seen[0] == seen[1]
    return seen[0]


def of_compaction(frames: list[dict[str, Any]]) -> list[str]:
    return [frame["type"] for frame in frames if frame["type"].startswith("compaction")]


def first(frames: list[dict[str, Any]], type_: str) -> Any:
    return next(frame["data"] for frame in frames if frame["type"] == type_)


async def say(page: SocketClient, content: str) -> None:
    await page.send("send_message", content=content, eventId=content)


def check_next_request(session: Session, wire: Wire) -> None:
    """The newest request holds the handoff once, the tail verbatim, and nobody else's words."""
    kept = Message.objects.filter(
        session=session, id__gt=session.compaction.last_compacted_msg_id
    ).order_by("id")
    said = [message.content for message in kept if message.role == "user"]
    carried, *rest = texts(wire.requests()[-1].body, "user")
    assert carried.startswith("## Session handoff")
    assert carried.count("All so far.") == 1
    assert rest == said


async def test_by_hand_while_idle(talked: Session, pages: Pages, wire: Wire) -> None:
    wire.script(HANDOFF)
    before = len(str(wire.requests()[-1].body))
    await pages[0].send("compact_now", instructions="the retries", tier="light")
    frames = await both_see(pages, "compaction_result")
    assert [frame["type"] for frame in frames] == IDLE_COMPACTION
    ids = {frame["data"]["executionId"] for frame in frames}
    assert len(ids) == 1
    assert ids.pop().startswith("manual_compact_")
    assert (frames[0]["data"]["triggerMode"], frames[-1]["data"]["compacted"]) == ("manual", True)
    assert wire.requests()[-1].body["messages"][-1]["content"].endswith("the retries")
    await say(pages[1], "go on")
    await both_see(pages, "session_status", phase="COMPLETED")
    assert len(str(wire.requests()[-1].body)) < before
    await database(check_next_request, talked, wire)
    assert await database(users, talked) == ["wish 0", "wish 1", "wish 2", "wish 3", "go on"]


async def test_by_hand_during_a_run(talked: Session, pages: Pages, wire: Wire) -> None:
    read_round(wire, talked, delay=1)  # both clicks come before the round ends
    wire.script({"text": "done"}, HANDOFF)
    await say(pages[0], "read it")
    await both_see(pages, "context_window")
    for page in pages:
        await page.send("compact_now", tier="light")
    frames = await both_see(pages, "session_status", phase="COMPLETED")
    queued = [frame for frame in frames if frame["type"] == "compaction_queued"]
    assert [frame["data"]["queued"] for frame in queued] == [True, True]
    assert of_compaction(frames)[2:] == [
        "compaction_start",
        "compaction_end",
        "compaction_marker",
    ]
    assert {frame["data"]["executionId"] for frame in frames} == {queued[0]["data"]["executionId"]}
    assert first(frames, "compaction_start")["triggerMode"] == "manual"


async def test_over_the_line_before_a_run(
    wired: Session, pages: Pages, wire: Wire, settings: Settings
) -> None:
    settings.COMPACTION_ENABLED = False
    for n in range(3):
        wire.script({"text": f"answer {n} " + "word " * 5_500})
        await database(run, wired, f"wish {n}")
    settings.COMPACTION_ENABLED = True
    wire.script(HANDOFF)
    await say(pages[0], "next")
    await both_see(pages, "user_message_saved", eventId="next")
    frames = await both_see(pages, "session_status", phase="COMPLETED")
    order = [frame["type"] for frame in frames]
    assert order.index("compaction_marker") < order.index("assistant_message_saved")
    assert first(frames, "compaction_start")["triggerMode"] == "request_start"
    await database(check_next_request, wired, wire)


async def test_over_the_line_between_rounds(wired: Session, pages: Pages, wire: Wire) -> None:
    for n in range(4):
        read_round(wire, wired, 4_000 + n)
    wire.script(HANDOFF)
    await say(pages[0], "read them all")
    frames = await both_see(pages, "session_status", phase="COMPLETED")
    assert of_compaction(frames) == ["compaction_start", "compaction_end", "compaction_marker"]
    marker = first(frames, "compaction_marker")
    assert (marker["triggerMode"], marker["prevBoundaryMsgId"]) == ("mid_loop", None)
    await database(check_next_request, wired, wire)
    assert await database(users, wired) == ["read them all"]


async def test_after_a_run_that_ended_over_the_line(
    wired: Session, pages: Pages, wire: Wire
) -> None:
    wire.script({"text": "a " + "word " * 8_000}, {"text": "b " + "word " * 8_500}, HANDOFF)
    await say(pages[0], "one")
    await both_see(pages, "session_status", phase="COMPLETED")
    await say(pages[0], "two")
    frames = await both_see(pages, "session_status", phase="COMPLETED")
    assert first(frames, "compaction_start")["triggerMode"] == "idle"
    order = [frame["type"] for frame in frames]
    assert order.index("assistant_message_saved") < order.index("compaction_start")
    window = [frame["data"] for frame in frames if frame["type"] == "context_window"][-1]
    assert (window["actual"], window["manifest"]["requestId"]) == (0, None)
    assert "handoff" in [row["key"] for row in window["manifest"]["sections"]]


async def test_after_an_overflow(talked: Session, pages: Pages, wire: Wire) -> None:
    wire.script({"when": "go on", "status": 400, "body": TOO_LONG}, HANDOFF, {"text": "fine"})
    await say(pages[0], "go on")
    frames = await both_see(pages, "session_status", phase="COMPLETED")
    assert first(frames, "compaction_start")["triggerMode"] == "overflow"
    assert first(frames, "assistant_message_saved")["message"]["content"] == "fine"
    await database(check_next_request, talked, wire)


async def test_the_model_asks_for_it(talked: Session, pages: Pages, wire: Wire) -> None:
    call = {"name": "compact_context", "arguments": {"reason": "done reading", "tier": "light"}}
    wire.script({"tool_calls": [call]}, HANDOFF, {"text": "fine"})
    await say(pages[0], "go on")
    frames = await both_see(pages, "session_status", phase="COMPLETED")
    order = [frame["type"] for frame in frames]
    assert order.index("tool_call_result") < order.index("compaction_start")
    assert first(frames, "compaction_start")["triggerMode"] == "tool"
    await database(check_next_request, talked, wire)
    assert (await database(users, talked))[-1] == "go on"


async def test_a_message_meanwhile_is_refused_everywhere_and_taken_afterwards(
    talked: Session, pages: Pages, api: Rest, wire: Wire
) -> None:
    wire.script(HANGING)
    await pages[0].send("compact_now")
    start = (await both_see(pages, "compaction_start"))[-1]["data"]
    await say(pages[1], "now")
    refusal = await pages[1].take_data("session_already_running")
    path = f"/v1/sessions/{talked.pk}/messages"
    answer = await database(api.send, "POST", path, {"content": "now"})
    assert (answer.status_code, answer.json()["code"]) == (409, "session_already_running")
    assert refusal["executionId"] == answer.json()["executionId"] == start["executionId"]
    await pages[0].send("cancel")
    result = (await both_see(pages, "compaction_result"))[-1]["data"]
    assert (result["outcome"], result["compacted"], result["failed"]) == (
        "cancelled",
        False,
        False,
    )
    await say(pages[1], "now")
    await both_see(pages, "session_status", phase="COMPLETED")
    assert (await database(users, talked))[-1] == "now"


async def test_who_connects_meanwhile_sees_that_it_compacts(
    talked: Session, pages: Pages, owner: User, wire: Wire
) -> None:
    wire.script(HANGING)
    await pages[0].send("compact_now")
    start = (await both_see(pages, "compaction_start"))[-1]["data"]
    late = SocketClient(talked.pk, await database(token_headers, owner))
    snapshot = await late.connect()
    assert (snapshot["compacting"], snapshot["executionId"]) == (True, start["executionId"])
    assert snapshot["phase"] == "COMPLETED"
    await late.send("cancel")
    await late.take_until("compaction_result")
    await late.send("subscribe")
    assert (await late.take_data("session_snapshot"))["compacting"] is False
    await late.leave()


async def test_a_compaction_inside_a_run_shows_too_and_ends_with_its_cancel(
    talked: Session, pages: Pages, owner: User, wire: Wire
) -> None:
    wire.script({"status": 400, "body": TOO_LONG}, HANGING)
    await say(pages[0], "go on")
    start = (await both_see(pages, "compaction_start"))[-1]["data"]
    late = SocketClient(talked.pk, await database(token_headers, owner))
    snapshot = await late.connect()
    assert (snapshot["compacting"], snapshot["executionId"]) == (True, start["executionId"])
    await late.send("cancel")
    frames = await both_see(pages, "session_status", phase="CANCELLED")
    assert first(frames, "compaction_end")["outcome"] == "cancelled"
    await late.leave()


async def test_a_second_click_meanwhile_says_nothing_more(
    talked: Session, pages: Pages, wire: Wire
) -> None:
    wire.script(HANGING)
    await pages[0].send("compact_now")
    await both_see(pages, "compaction_start")
    await pages[1].send("compact_now", tier="heavy")
    assert await pages[1].says_nothing()


async def test_nothing_to_compact_is_said_to_all(pages: Pages, wire: Wire) -> None:
    await pages[0].send("compact_now")
    frames = await both_see(pages, "compaction_result")
    assert [frame["type"] for frame in frames] == [
        "compaction_start",
        "compaction_end",
        "compaction_result",
    ]
    assert frames[1]["data"]["outcome"] == "nothing_to_compact"
    assert wire.requests() == []


async def test_a_bad_request_is_named_and_starts_nothing(pages: Pages, wired: Session) -> None:
    await pages[0].send("compact_now", tier="tiny")
    error = await pages[0].take_data("error")
    assert error["code"] == "bad_frame"
    assert "light, standard, heavy" in error["message"]
    assert await database(claims.current, wired.pk) is None


async def test_someone_elses_session_is_refused(
    talked: Session, pages: Pages, stranger: User
) -> None:
    other = SocketClient(talked.pk, await database(token_headers, stranger))
    await other.communicator.connect(timeout=10)
    await other.send("compact_now")
    assert await other.close_code() == 4403
    assert await pages[0].says_nothing()
    await other.leave()
