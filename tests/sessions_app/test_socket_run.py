"""Runs that are started, watched and stopped over the socket."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from django.contrib.auth.models import User

from sessions_app import claims, runs, stream
from sessions_app.models import Message, Run, Session
from sessions_app.run_loop import database
from tests.sessions_app.running import said, wait_until, wire_model
from tests.sessions_app.socket_client import SocketClient, texts, token_headers
from tests.wire.fixture import Wire

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]

CASES = Path(__file__).parent.parent / "cases"


@pytest.fixture
def wired(make_session: Callable[..., Session], wire: Wire) -> Session:
    return make_session(model=wire_model(wire.base_url))


@pytest_asyncio.fixture
async def socket(wired: Session, owner: User) -> AsyncIterator[SocketClient]:
    """The owner's socket on the wired session, its snapshot taken."""
    client = SocketClient(wired.pk, await database(token_headers, owner))
    await client.connect()
    yield client
    await database(runs.cancel, session_id=wired.pk)
    await database(wait_until, lambda: claims.current(wired.pk) is None)
    await client.leave()


async def to_the_end(socket: SocketClient) -> list[dict[str, Any]]:
    """The frames up to the one that says how the run ended."""
    frames = [await socket.take()]
    while frames[-1]["type"] != "session_status" or frames[-1]["data"]["phase"] == "RUNNING":
        frames.append(await socket.take())
    return frames


async def say(socket: SocketClient, content: str, event_id: str) -> None:
    await socket.send("send_message", content=content, eventId=event_id)


async def test_a_message_is_answered_in_deltas_and_stored_frames(
    wired: Session, socket: SocketClient, wire: Wire
) -> None:
    wire.script({"text": "It is sunny today.", "reasoning": "Look out.", "pause": 0.03})
    await say(socket, "How is the weather?", "e1")
    frames = await to_the_end(socket)
    for type_, text in (("thinking_delta", "Look out."), ("content_delta", "It is sunny today.")):
        deltas = [frame["data"] for frame in frames if frame["type"] == type_]
        assert "".join(data["delta"] for data in deltas) == text
        assert [data["offset"] for data in deltas] == [
            sum(len(before["delta"]) for before in deltas[:at]) for at in range(len(deltas))
        ]
    stored = [frame for frame in frames if frame["seq"] is not None]
    assert stored == [json.loads(text) for text in await database(texts, wired.pk)]
    assert stored[0]["data"]["eventId"] == "e1"


async def test_deltas_stand_between_the_frames_of_their_round(
    socket: SocketClient, wire: Wire
) -> None:
    wire.script({"text": "One two three four five six.", "pause": 0.02})
    await say(socket, "hi", "e1")
    types = [frame["type"] for frame in await to_the_end(socket)]
    assert types.count("content_delta") > 1
    assert list(dict.fromkeys(types)) == [
        "user_message_saved",
        "session_status",
        "context_window",
        "content_delta",
        "assistant_message_saved",
        "message_end",
    ]


async def test_case_c32a_the_same_id_twice_starts_one_run(
    wired: Session, socket: SocketClient
) -> None:
    for send in script("same_id_twice"):
        await say(socket, send["text"], send["client_id"])
    await to_the_end(socket)
    assert await socket.says_nothing()
    assert await database(Run.objects.count) == 1
    assert await database(Message.objects.filter(role="user").count) == 1


async def test_case_c32a_the_same_id_with_another_text_is_an_error(
    wired: Session, socket: SocketClient
) -> None:
    for send in script("same_id_other_text"):
        await say(socket, send["text"], send["client_id"])
    error = (await socket.take_until("error"))[-1]
    assert (error["seq"], error["data"]["code"]) == (None, "event_id_reused")
    assert [text for role, text in await database(said, wired) if role == "user"] == ["hi"]


async def test_case_c32a_a_message_during_a_run_is_refused_before_it_is_saved(
    wired: Session, socket: SocketClient, wire: Wire
) -> None:
    wire.script({"text": "slowly, slowly, slowly", "hang_after": 3})
    first, second = script("send_while_tools_run")
    await say(socket, first["text"], first["client_id"])
    await socket.take_until("content_delta")
    await say(socket, second["text"], second["client_id"])
    refusal = (await socket.take_until("session_already_running"))[-1]
    current = await database(claims.current, wired.pk)
    assert current is not None
    assert refusal == {
        "type": "session_already_running",
        "sessionId": wired.pk,
        "seq": None,
        "data": {
            "executionId": current.execution_id,
            "message": "The session is busy: another run or compaction is in progress.",
        },
    }
    assert await database(Message.objects.count) == 1


async def test_case_c32a_after_a_stop_the_next_message_is_taken(
    wired: Session, socket: SocketClient, wire: Wire
) -> None:
    wire.script({"text": "slowly, slowly, slowly", "hang_after": 3}, {"text": "done"})
    first, stop, second = script("stop_while_tools_run")
    await say(socket, first["text"], first["client_id"])
    await socket.take_until("content_delta")
    assert stop["op"] == "stop"
    await socket.send("cancel")
    assert (await to_the_end(socket))[-1]["data"]["phase"] == "CANCELLED"
    await say(socket, second["text"], second["client_id"])
    assert (await to_the_end(socket))[-1]["data"]["phase"] == "COMPLETED"
    assert (await database(said, wired))[-1] == ("assistant", "done")


def script(name: str) -> list[dict[str, Any]]:
    """What is sent in one script of the case."""
    case = json.loads((CASES / "C32a_race.json").read_text())
    scripts = {one["name"]: one["sends"] for one in case["input"]["scripts"]}
    sends: list[dict[str, Any]] = scripts[name]
    return sends


async def test_a_cancel_without_a_run_changes_nothing(socket: SocketClient) -> None:
    await socket.send("cancel")
    assert await socket.says_nothing()
    await socket.send("ping")
    assert (await socket.take())["type"] == "pong"


async def test_case_c19a_odd_characters_travel(wired: Session, socket: SocketClient) -> None:
    case = json.loads((CASES / "C19a_unicode.json").read_text())
    for number, text in enumerate(case["input"]["texts"]):
        await say(socket, f"{text}\0", f"\udc97{number}")
        saved = (await to_the_end(socket))[0]["data"]["message"]["content"]
        expected = f"{text}\u2400".encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert saved == expected


async def test_who_connects_in_mid_stream_sees_what_the_others_see(
    wired: Session, owner: User, socket: SocketClient, wire: Wire
) -> None:
    wire.script({"text": "One two three four five six seven eight nine ten.", "pause": 0.03})
    await say(socket, "count", "e1")
    await socket.take_until("content_delta")
    late = SocketClient(wired.pk, await database(token_headers, owner))
    snapshot = await late.connect()
    text = snapshot["partial"]["text"]
    assert text
    for frame in await to_the_end(late):
        if frame["type"] == "content_delta":
            assert frame["data"]["offset"] == len(text)
            text += frame["data"]["delta"]
    assert text == "One two three four five six seven eight nine ten."
    assert await database(stream.snapshot, wired.pk) == {
        **snapshot,
        "phase": "COMPLETED",
        "executionId": None,
        "partial": None,
        "seq": len(await database(texts, wired.pk)),
        "context": (await database(stream.snapshot, wired.pk))["context"],
    }
    await late.leave()
