"""Who gets what: every route and every client frame, for everyone. What isn't listed here fails."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver

from memory_app.models import MemoryItem
from sessions_app.models import Message, PromptPart, Session, ToolOutput
from sessions_app.socket_frames import PARSERS
from tests.sessions_app.rest import Rest, signed_in
from tests.sessions_app.socket_client import Headers, SocketClient, token_headers

ROLES = ("anonymous", "stranger", "owner", "staff")
LOGIN = 302
Statuses = tuple[int, int, int, int]  # in the order of ROLES

OWN: Statuses = (401, 403, 200, 403)
ALL_SIGNED_IN: Statuses = (401, 200, 200, 200)
OWN_PAGE: Statuses = (LOGIN, 403, 200, 403)

# Route -> method -> statuses. A write is sent an empty object.
MATRIX: dict[str, dict[str, Statuses]] = {
    "": {"GET": (LOGIN, 200, 200, 200)},
    "sessions/<int:session_id>": {"GET": OWN_PAGE},
    "sessions/<int:session_id>/parts": {"GET": (LOGIN, 403, 400, 403)},
    "sessions/<int:session_id>/earlier": {"GET": (LOGIN, 403, 400, 403)},
    "sessions/<int:session_id>/messages/<int:message_id>/fragment": {"GET": OWN_PAGE},
    "sessions/<int:session_id>/send": {"POST": (LOGIN, 403, 400, 403)},
    "sessions/<int:session_id>/compact": {"POST": (LOGIN, 403, 302, 403)},
    "sessions/<int:session_id>/undo": {"POST": (LOGIN, 403, 409, 403)},
    "sessions/<int:session_id>/stop": {"POST": (LOGIN, 403, 302, 403)},
    "sessions/<int:session_id>/folded": {"GET": (LOGIN, 403, 400, 403)},
    "sessions/<int:session_id>/compactions": {"GET": (LOGIN, 403, 400, 403)},
    "sessions/<int:session_id>/compactions/<int:event_id>": {"GET": OWN_PAGE},
    "sessions/<int:session_id>/requests": {"GET": OWN_PAGE},
    "sessions/<int:session_id>/requests/<int:request_id>": {"GET": OWN_PAGE},
    "sessions/<int:session_id>/requests/<int:request_id>/parts/<slug:key>": {"GET": OWN_PAGE},
    "sessions/<int:session_id>/settings": {"GET": OWN_PAGE, "POST": (LOGIN, 403, 400, 403)},
    "sessions/<int:session_id>/delete": {"POST": (LOGIN, 403, 400, 403)},
    "signin/<str:token>": {"GET": (403, 403, 403, 403)},
    "accounts/login/": {"GET": (200, 200, 200, 200)},
    "accounts/logout/": {"POST": (302, 302, 302, 302)},
    "i18n/setlang/": {"POST": (302, 302, 302, 302)},
    "healthz": {"GET": (200, 200, 200, 200)},
    "v1/sessions": {"GET": ALL_SIGNED_IN, "POST": (401, 201, 201, 201)},
    "v1/sessions/<int:session_id>": {
        "GET": OWN,
        "PATCH": OWN,
        "DELETE": (401, 403, 204, 403),
    },
    "v1/sessions/<int:session_id>/messages": {"GET": OWN, "POST": (401, 403, 400, 403)},
    "v1/sessions/<int:session_id>/messages/<int:message_id>/output": {"GET": OWN},
    "v1/sessions/<int:session_id>/cancel": {"POST": (401, 403, 202, 403)},
    "v1/sessions/<int:session_id>/compact": {"POST": (401, 403, 202, 403)},
    "v1/sessions/<int:session_id>/compaction": {"GET": OWN},
    "v1/sessions/<int:session_id>/compaction/undo": {"POST": (401, 403, 409, 403)},
    "v1/sessions/<int:session_id>/compactions": {"GET": OWN},
    "v1/sessions/<int:session_id>/context": {"GET": OWN},
    "v1/sessions/<int:session_id>/requests": {"GET": OWN},
    "v1/sessions/<int:session_id>/requests/<int:request_id>": {"GET": OWN},
    "settings/memory": {"GET": (LOGIN, 200, 200, 200), "POST": (LOGIN, 400, 400, 400)},
    "v1/memory": {"GET": ALL_SIGNED_IN, "POST": (401, 400, 400, 400)},
    "v1/memory/<int:memory_id>": {"GET": OWN, "PATCH": OWN, "DELETE": (401, 403, 204, 403)},
    "v1/models": {"GET": ALL_SIGNED_IN},
    "v1/schema": {"GET": ALL_SIGNED_IN},
    "v1/docs": {"GET": ALL_SIGNED_IN},
}

# Client frame -> the type of what the owner is sent next, None for nothing.
FRAMES: dict[str, str | None] = {
    "send_message": "error",  # without a content
    "cancel": None,
    "compact_now": "compaction_start",  # and its end: there is nothing to compact
    "subscribe": "session_snapshot",
    "ping": "pong",
}
NOT_SIGNED_IN, NOT_THE_OWNER = 4401, 4403


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, route)
        else:
            yield route, entry


ROUTES = dict(_routes(get_resolver()))
ADMIN = [route for route in ROUTES if route.startswith("admin/")]
CELLS = [
    pytest.param(route, method, role, status, id=f"{role} {method} /{route}")
    for route, methods in MATRIX.items()
    for method, statuses in methods.items()
    for role, status in zip(ROLES, statuses, strict=True)
]


@pytest.fixture
def client_of(owner: User, stranger: User, staff: User) -> Callable[[str], Rest]:
    """The client of a role."""
    users = {"stranger": stranger, "owner": owner, "staff": staff}
    return lambda role: Rest() if role == "anonymous" else signed_in(users[role])


@pytest.fixture
def address(session: Session) -> Callable[[str], str]:
    """A route's path, with the ids of rows of the owner's session in it."""
    message = Message.objects.create(session=session, role="tool", content="{}")
    ToolOutput.objects.create(message=message, output="all of it")
    PromptPart.objects.create(hash="hash", text="all of it")
    ids: dict[str, Any] = {
        "<int:session_id>": session.pk,
        "<int:message_id>": message.pk,
        "<int:request_id>": session.requests.create(
            execution_id="e", estimated=1, parts=[["persona", "Persona", 1, "hash"]]
        ).pk,
        "<slug:key>": "persona",
        "<int:memory_id>": MemoryItem.objects.create(
            owner=session.owner, content="all of it", dedup_hash="1"
        ).pk,
        "<int:event_id>": session.compaction_events.create(summary_text="all of it").pk,
        "<str:token>": "forged",
    }

    def fill(route: str) -> str:
        for place, value in ids.items():
            route = route.replace(place, str(value))
        return f"/{route}"

    return fill


def test_it_lists_every_route() -> None:
    assert set(ROUTES) - set(ADMIN) == set(MATRIX)


def test_it_lists_every_method_of_the_api() -> None:
    for route, methods in MATRIX.items():
        view = getattr(ROUTES[route].callback, "view_class", None)
        if view is not None and route.startswith(("v1/", "healthz")):
            served = {name.upper() for name in view.http_method_names if hasattr(view, name)}
            assert served - {"OPTIONS"} == set(methods), route


@pytest.mark.parametrize(("route", "method", "role", "status"), CELLS)
def test_it_answers_each_as_listed(
    client_of: Callable[[str], Rest],
    address: Callable[[str], str],
    route: str,
    method: str,
    role: str,
    status: int,
) -> None:
    path = address(route)
    before = list(Session.objects.values())
    client = client_of(role)
    answer = client.get(path) if method == "GET" else client.send(method, path, {})
    assert answer.status_code == status
    if status in (401, 403):
        assert b"all of it" not in answer.content
        assert list(Session.objects.values()) == before
    if status == LOGIN and method == "GET":
        assert answer["Location"].startswith("/accounts/login/?next=/")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_it_says_404_to_all_who_are_signed_in_where_nothing_is(
    client_of: Callable[[str], Rest], role: str, method: str
) -> None:
    answer = client_of(role).send(method, "/v1/sessions/999999", {})
    assert answer.status_code == (401 if role == "anonymous" else 404)


@pytest.mark.parametrize("role", ["anonymous", "stranger", "owner"])
def test_it_opens_the_admin_to_staff_only(client_of: Callable[[str], Rest], role: str) -> None:
    client = client_of(role)
    for route in ADMIN:
        path = "/" + re.sub("<[^>]+>", "1", route)
        opened = client.get(path).status_code == 200 and "login" not in path
        assert not opened, path


def test_it_lists_every_client_frame() -> None:
    assert set(PARSERS) == set(FRAMES)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("runs_end")
@pytest.mark.parametrize("type_", FRAMES)
async def test_it_takes_frames_from_the_owner(
    owner: User, session: Session, socket_headers: dict[str, Headers], type_: str
) -> None:
    socket = SocketClient(session.pk, socket_headers["owner"])
    await socket.connect()
    await socket.send(type_)
    expected = FRAMES[type_]
    if expected is None:
        assert await socket.says_nothing()
    else:
        assert (await socket.take())["type"] == expected
    await socket.leave()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("runs_end")
@pytest.mark.parametrize(
    ("role", "code"),
    [("anonymous", NOT_SIGNED_IN), ("stranger", NOT_THE_OWNER), ("staff", NOT_THE_OWNER)],
)
@pytest.mark.parametrize("type_", FRAMES)
async def test_it_takes_frames_from_nobody_else(
    session: Session, socket_headers: dict[str, Headers], role: str, code: int, type_: str
) -> None:
    socket = SocketClient(session.pk, socket_headers[role])
    await socket.communicator.connect(timeout=10)
    await socket.send(type_)
    output = await socket.communicator.receive_output(timeout=10)
    assert (output["type"], output["code"]) == ("websocket.close", code)
    await socket.leave()


@pytest.fixture
def socket_headers(owner: User, stranger: User, staff: User) -> dict[str, Headers]:
    users = {"owner": owner, "stranger": stranger, "staff": staff}
    return {"anonymous": [], **{role: token_headers(user) for role, user in users.items()}}
