"""Who may open a socket: the handshake's Origin, the credential, the owner."""

from pathlib import Path

import orjson
import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from sessions_app import socket_origin
from sessions_app.models import Session
from tests.sessions_app.socket_client import (
    Headers,
    SocketClient,
    browser_headers,
    token_headers,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]

CASES = Path(__file__).parent.parent / "cases"


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


async def answer(client: SocketClient) -> int:
    """1000: open; 403: refused in the handshake; else the code of the close after the accept."""
    accepted, _ = await client.communicator.connect(timeout=10)
    if not accepted:
        return 403
    output = await client.communicator.receive_output(timeout=10)
    await client.leave()
    return 1000 if output["type"] == "websocket.send" else int(output["code"])


ORIGINS = [
    ("http://localhost:8000", 1000),
    ("HTTP://LOCALHOST:8000", 1000),
    ("https://listed.example", 1000),
    ("https://listed.example:443", 1000),
    ("https://a.b.wild.example:8443", 1000),
    ("http://listed.example", 403),
    ("https://listed.example:8443", 403),
    ("https://a.wild.example", 403),
    ("https://evilwild.example:8443", 403),
    ("https://localhost:8000", 403),
    ("http://localhost", 403),
    ("http://localhost:8001", 403),
    ("http://127.0.0.1:8000", 403),
    ("http://localhost:8000.evil.example", 403),
    ("http://localhost:8000@evil.example", 403),
    ("http://localhost:8000/path", 403),
    ("http://localhost:99999", 403),
    ("http://[", 403),
    ("null", 403),
    ("", 403),
]


@pytest.mark.parametrize(("origin", "expected"), ORIGINS)
async def test_it_compares_scheme_host_and_port_of_the_origin(
    browser: Client, session: Session, settings: Settings, origin: str, expected: int
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://listed.example", "https://*.wild.example:8443"]
    client = SocketClient(session.pk, browser_headers(browser, origin))
    assert await answer(client) == expected


async def test_it_answers_case_c37a(browser: Client, session: Session, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["app.example"]
    case = orjson.loads((CASES / "C37a_ws-origin.json").read_bytes())
    answers = []
    for attempt in [attempt for attempt in case["input"]["attempts"] if "ws" in attempt]:
        _, origin, cookie = browser_headers(browser, attempt["origin"])
        headers = [
            (b"host", b"app.example"),
            origin,
            *([cookie] if "cookie" not in attempt else []),
        ]
        code = await answer(SocketClient(session.pk, headers, scheme="wss"))
        answers.append("accept" if code == 1000 else "refuse")
    assert answers == case["expect"][0]["values"][: len(answers)] == ["accept", *["refuse"] * 3]


async def test_it_takes_two_origins_for_none(browser: Client, session: Session) -> None:
    headers = [*browser_headers(browser), (b"origin", b"http://localhost:8000")]
    assert await answer(SocketClient(session.pk, headers)) == 403


async def test_it_refuses_a_host_that_is_not_ours(browser: Client, session: Session) -> None:
    _, _, cookie = browser_headers(browser)
    headers = [(b"host", b"evil.example"), (b"origin", b"http://evil.example"), cookie]
    assert await answer(SocketClient(session.pk, headers)) == 403


async def test_it_refuses_a_cookie_without_an_origin(browser: Client, session: Session) -> None:
    host, _, cookie = browser_headers(browser)
    assert await answer(SocketClient(session.pk, [host, cookie])) == 403


async def test_it_believes_a_proxy_about_https_only_when_told_to(
    browser: Client, session: Session, settings: Settings
) -> None:
    headers = browser_headers(browser, "https://localhost:8000")
    forwarded = [*headers, (b"x-forwarded-proto", b"https")]
    forged = [*headers, (b"x_forwarded_proto", b"https")]
    assert await answer(SocketClient(session.pk, forwarded)) == 403
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert await answer(SocketClient(session.pk, forged)) == 403
    assert await answer(SocketClient(session.pk, forwarded)) == 1000


async def test_it_names_the_setting_that_would_allow_an_origin(
    browser: Client, session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    headers = browser_headers(browser, "https://other.example")
    await answer(SocketClient(session.pk, headers))
    assert "'https://other.example'" in caplog.text
    assert "CSRF_TRUSTED_ORIGINS" in caplog.text


CAST = [("owner", 1000), ("stranger", 4403), ("staff", 4403)]


@pytest.fixture(params=CAST)
def cast(request: pytest.FixtureRequest) -> tuple[Headers, int]:
    name, code = request.param
    return token_headers(request.getfixturevalue(name)), code


async def test_it_is_for_the_owner_only(session: Session, cast: tuple[Headers, int]) -> None:
    headers, code = cast
    assert await answer(SocketClient(session.pk, headers)) == code


@pytest.fixture
def token(owner: User) -> Headers:
    return token_headers(owner)


@pytest.mark.parametrize("path", ["999", "0", str(2**63), "9" * 5000, "-1", "x", "1/", "1/2", ""])
async def test_it_closes_with_4404_where_no_session_is(token: Headers, path: str) -> None:
    assert await answer(SocketClient(path, token)) == 4404


BAD_CREDENTIALS: list[Headers] = [
    [],
    [(b"authorization", b"Token")],
    [(b"authorization", b"Token 0123456789012345678901234567890123456789")],
    [(b"authorization", b"Token \xff\x00")],
    [(b"authorization", b"Bearer x")],
    [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"cookie", b"sessionid=x")],
    [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"cookie", b"\xff;=;")],
]


@pytest.mark.parametrize("headers", BAD_CREDENTIALS)
async def test_it_closes_with_4401_who_is_not_signed_in(session: Session, headers: Headers) -> None:
    assert await answer(SocketClient(session.pk, headers)) == 4401
    assert await answer(SocketClient("none", headers)) == 4401


@pytest.fixture
def gone(owner: User, browser: Client, token: Headers) -> tuple[Headers, Headers]:
    """Credentials of a user who was deactivated since."""
    User.objects.filter(pk=owner.pk).update(is_active=False)
    return token, browser_headers(browser)


async def test_it_closes_with_4401_who_is_not_active(
    session: Session, gone: tuple[Headers, Headers]
) -> None:
    assert [await answer(SocketClient(session.pk, one)) for one in gone] == [4401, 4401]


@pytest.fixture
def outdated(owner: User, browser: Client) -> Headers:
    """The cookie of a sign-in with another password."""
    headers = browser_headers(browser)
    owner.set_password("another-password")
    owner.save()
    return headers


async def test_it_closes_with_4401_after_a_changed_password(
    session: Session, outdated: Headers
) -> None:
    assert await answer(SocketClient(session.pk, outdated)) == 4401


async def test_it_takes_a_cookie_that_was_signed_with_the_key_before(
    session: Session, browser: Client, settings: Settings
) -> None:
    headers = browser_headers(browser)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a-new-key"
    assert await answer(SocketClient(session.pk, headers)) == 1000


@given(st.text())
def test_an_origin_is_taken_apart_or_is_none(text: str) -> None:
    site = socket_origin.parse(text)
    assert site is None or site[0] in {"http", "https"}
