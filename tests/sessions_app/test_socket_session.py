"""One socket: what it is sent on connecting, how it resumes, what closes it."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings
from rest_framework.authtoken.models import Token

from sessions_app import claims, hub, socket_watch, stream
from sessions_app.models import Claim, Frame, Session
from sessions_app.run_loop import database
from tests.sessions_app.socket_client import (
    SocketClient,
    browser_headers,
    emit,
    leave_all,
    texts,
    token_headers,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]

CASES = Path(__file__).parent.parent / "cases"

NewSocket = Callable[[], SocketClient]


@pytest_asyncio.fixture
async def new_socket(session: Session, owner: User) -> AsyncIterator[NewSocket]:
    """Make a socket of the owner; all are closed in the end."""
    opened: list[SocketClient] = []
    headers = await database(token_headers, owner)

    def new() -> SocketClient:
        opened.append(SocketClient(session.pk, headers))
        return opened[-1]

    yield new
    await leave_all(opened)


@pytest_asyncio.fixture
async def socket(new_socket: NewSocket) -> SocketClient:
    """The owner's socket, connected, its snapshot taken."""
    client = new_socket()
    await client.connect()
    return client


async def test_it_sends_the_snapshot_first(session: Session, new_socket: NewSocket) -> None:
    await database(emit, session.pk, 3)
    snapshot = await new_socket().connect()
    assert snapshot == await database(stream.snapshot, session.pk)


async def test_it_answers_a_ping(session: Session, socket: SocketClient) -> None:
    await socket.send("ping")
    assert await socket.take() == {
        "type": "pong",
        "sessionId": session.pk,
        "seq": None,
        "data": {},
    }


async def test_it_sends_stored_frames_as_they_come(session: Session, socket: SocketClient) -> None:
    await database(emit, session.pk, 3)
    assert [await socket.take_text() for _ in range(3)] == await database(texts, session.pk)


async def test_it_sends_no_frame_of_another_session(
    make_session: Callable[..., Session], socket: SocketClient
) -> None:
    other = await database(make_session)
    await database(emit, other.pk, 1)
    assert await socket.says_nothing()


async def test_it_sweeps_a_dead_execution_when_a_page_connects(
    session: Session, new_socket: NewSocket
) -> None:
    await database(claims.take, session_id=session.pk, execution_id="e1", kind=Claim.Kind.RUN)
    await database(Claim.objects.update, lease_until_ms=1)
    snapshot = await new_socket().connect()
    assert (snapshot["phase"], snapshot["executionId"]) == ("INTERRUPTED", None)


# -- resuming


async def reconnect(client: SocketClient, last_seen: Any) -> tuple[dict[str, Any], list[str]]:
    """Connect and subscribe with a cursor: the answer, and the texts of all that follows it."""
    await client.connect()
    await client.send("subscribe", after=last_seen)
    frame = await client.take()
    replayed = []
    while not await client.says_nothing():
        while not client.communicator.output_queue.empty():
            replayed.append(await client.take_text())
    return frame, replayed


async def test_it_answers_case_c31(session: Session, new_socket: NewSocket) -> None:
    script = json.loads((CASES / "C31_websocket.json").read_text())["input"]["script"]
    seen: list[str] = []
    answers: list[tuple[str, Any]] = []
    for step in script:
        if "emit" in step:
            await database(emit, session.pk, step["emit"])
        elif "client_seen" in step:
            seen = await database(texts, session.pk)
        elif "reconnect" in step:
            last_seen = step["reconnect"]["last_seen"]
            frame, replayed = await reconnect(new_socket(), last_seen)
            answers.append((frame["type"], frame["data"].get("reset")))
            seen += replayed
    assert seen == await database(texts, session.pk)
    assert answers == [
        *[("session_snapshot", None)] * 3,
        *[("session_snapshot", True)] * 2,
        ("error", None),
    ]


async def test_it_says_reset_when_frames_were_pruned(
    session: Session, new_socket: NewSocket
) -> None:
    await database(emit, session.pk, 20)
    await database(Frame.objects.filter(seq__lte=10).delete)
    assert (await reconnect(new_socket(), 5))[0]["data"]["reset"] is True
    assert (await reconnect(new_socket(), 10))[1] == await database(texts, session.pk, 10)


async def test_it_replays_nothing_to_who_names_no_frame(
    session: Session, socket: SocketClient
) -> None:
    await database(emit, session.pk, 2)
    await socket.take_until("notice")
    await socket.take_until("notice")
    await socket.send("subscribe")
    assert (await socket.take_data("session_snapshot"))["seq"] == 2
    assert await socket.says_nothing()


# -- bad frames


async def test_it_stays_open_after_a_bad_frame(session: Session, socket: SocketClient) -> None:
    await socket.communicator.send_to(text_data='{"type": "\\ud800"}')
    error = await socket.take()
    await socket.communicator.send_to(bytes_data=b"x")
    assert (error["seq"], error["data"]["code"]) == (None, "bad_frame")
    assert "'\ufffd' is not known" in error["data"]["message"]
    assert (await socket.take_data("error"))["message"] == "The frame is binary; allowed: text."
    await socket.send("ping")
    assert (await socket.take())["type"] == "pong"


async def test_it_closes_after_twenty_bad_frames_of_2000(socket: SocketClient) -> None:
    for number in range(2_000):
        await socket.communicator.send_to(text_data=f"[{number}" * (1 + number % 50))
    errors = [await socket.take_data("error") for _ in range(20)]
    assert {error["code"] for error in errors} == {"bad_frame"}
    assert await socket.close_code() == 4400
    assert await socket.says_nothing()


# -- what closes a socket


def sign_out(client: Client, owner: User) -> None:
    client.logout()


def deactivate(client: Client, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(is_active=False)


def change_password(client: Client, owner: User) -> None:
    owner.set_password("another-password")
    owner.save()


def delete_session(client: Client, owner: User) -> None:
    Session.objects.all().delete()


def give_away(client: Client, owner: User) -> None:
    Session.objects.update(owner=User.objects.create_user("heir"))


LOSSES = [
    (sign_out, 4401),
    (deactivate, 4401),
    (change_password, 4401),
    (delete_session, 4404),
    (give_away, 4403),
]


@pytest.mark.parametrize(("lose", "code"), LOSSES)
async def test_it_closes_at_the_next_message(
    session: Session,
    owner: User,
    client: Client,
    lose: Callable[[Client, User], None],
    code: int,
) -> None:
    await database(client.force_login, owner)
    socket = SocketClient(session.pk, browser_headers(client))
    await socket.connect()
    await database(lose, client, owner)
    await socket.send("ping")
    assert await socket.close_code() == code
    await socket.leave()


@pytest.mark.parametrize(("lose", "code"), LOSSES)
async def test_it_closes_a_silent_socket_soon(
    session: Session,
    owner: User,
    client: Client,
    lose: Callable[[Client, User], None],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket_watch, "LOOK_S", 0.05)
    await database(client.force_login, owner)
    socket = SocketClient(session.pk, browser_headers(client))
    await socket.connect()
    await database(lose, client, owner)
    assert await socket.close_code() == code
    await socket.leave()


async def test_it_closes_when_the_token_is_revoked(socket: SocketClient) -> None:
    await database(Token.objects.all().delete)
    await socket.send("ping")
    assert await socket.close_code() == 4401


async def test_it_does_nothing_after_a_close(session: Session, socket: SocketClient) -> None:
    await database(Token.objects.all().delete)
    await socket.send("ping")
    await socket.send("send_message", content="hi", eventId="e1")
    assert await socket.close_code() == 4401
    await database(emit, session.pk)
    assert await socket.says_nothing()


async def test_it_opens_twenty_sockets_for_one_user(
    owner: User, new_socket: NewSocket, settings: Settings
) -> None:
    settings.MAX_SOCKETS_PER_USER = 20
    sockets = [new_socket() for _ in range(21)]
    for socket in sockets[:20]:
        await socket.connect()
    await sockets[20].communicator.connect(timeout=10)
    assert await sockets[20].close_code() == 4429
    await sockets[0].leave()
    await new_socket().connect()
    assert hub.sockets_of(owner.pk) == 20


async def test_it_leaves_nothing_behind(owner: User, new_socket: NewSocket) -> None:
    socket = new_socket()
    await socket.connect()
    assert hub.sockets_of(owner.pk) == 1
    await socket.leave()
    assert hub.sockets_of(owner.pk) == 0
