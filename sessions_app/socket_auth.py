"""Who is at the other end of a socket: seen in the handshake, asked again with each message."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from django.conf import settings
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    get_user_model,
    load_backend,
)
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import parse_cookie
from django.utils.crypto import constant_time_compare
from rest_framework.authtoken.models import Token

from sessions_app import socket_origin
from sessions_app.models import Session
from sessions_app.socket_origin import Handshake

NOT_SIGNED_IN = 4401
NOT_OWNER = 4403
NO_SUCH_SESSION = 4404
MAX_ID = 2**63 - 1

log = logging.getLogger(__name__)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Credential:
    """What the client showed: the key of a Django session, or of a REST token. Never logged."""

    kind: Literal["cookie", "token"]
    key: str


@dataclass(frozen=True, slots=True)
class Admission:
    """Whom a socket was opened for."""

    credential: Credential
    session_id: int
    user_id: int


class SocketRefused(Exception):
    """The socket is to be closed with this code; the reason is shown to the client."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class SocketAuth:
    """ASGI middleware: refuses foreign pages (403), else leaves the credential in the scope.

    A cookie counts only with an Origin that is this site's or listed; a token header needs none.
    """

    def __init__(self, inner: Application) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one handshake."""
        credential, is_foreign = _examine(scope)
        if is_foreign:
            await receive()  # websocket.connect
            await send({"type": "websocket.close"})  # before the accept: 403
            return
        await self.inner({**scope, "credential": credential}, receive, send)


def _examine(scope: dict[str, Any]) -> tuple[Credential | None, bool]:
    """The credential, and whether its page may not use it."""
    handshake = Handshake(scope.get("scheme", "ws"), scope.get("headers", ()))
    credential = _credential(handshake)
    return credential, _is_foreign(handshake, credential)


def admit(credential: Credential | None, session_id: int | None) -> Admission:
    """The owner's admission to a session. Raises SocketRefused: 4401, 4404 or 4403, in this order.

    Reads the database each time: nothing that was true in the handshake must still be.
    """
    user_id = user_of(credential)
    if credential is None or user_id is None:
        raise SocketRefused(NOT_SIGNED_IN, "not signed in")
    if session_id is None or session_id > MAX_ID:
        raise SocketRefused(NO_SUCH_SESSION, "no such session")
    owners = Session.objects.filter(pk=session_id).values_list("owner_id", flat=True)
    owner_id = owners.first()
    if owner_id is None:
        raise SocketRefused(NO_SUCH_SESSION, "no such session")
    if owner_id != user_id:
        raise SocketRefused(NOT_OWNER, "the session belongs to someone else")
    return Admission(credential, session_id, user_id)


def user_of(credential: Credential | None) -> int | None:
    """The id of the active user that the credential still stands for."""
    if credential is None:
        return None
    if credential.kind == "token":
        tokens = Token.objects.filter(key=credential.key, user__is_active=True)
        return tokens.values_list("user_id", flat=True).first()
    user = _cookie_user(credential.key)
    return None if user is None or not user.is_active else user.pk


def _cookie_user(session_key: str) -> AbstractBaseUser | None:
    """As Django does it for a request, but without writing: a socket can't send a new cookie."""
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    if store.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    user_id = get_user_model()._meta.pk.to_python(store[SESSION_KEY])
    user: AbstractBaseUser | None = load_backend(store[BACKEND_SESSION_KEY]).get_user(user_id)
    if user is None:
        return None
    shown = store.get(HASH_SESSION_KEY, "")
    valid = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return user if any(constant_time_compare(shown, one) for one in valid) else None


def _credential(handshake: Handshake) -> Credential | None:
    """A token header goes before a cookie."""
    keyword, _, key = handshake.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if keyword.lower() == "token":
        return Credential("token", key.strip())
    cookies = parse_cookie(handshake.META.get("HTTP_COOKIE", ""))
    key = cookies.get(settings.SESSION_COOKIE_NAME, "")
    return Credential("cookie", key) if key else None


def _is_foreign(handshake: Handshake, credential: Credential | None) -> bool:
    """Whether the handshake comes from a page that may not speak for the user."""
    origin = handshake.META.get("HTTP_ORIGIN")
    if origin is None:
        if credential is None or credential.kind == "token":
            return False
        log.warning(
            "websocket refused: a session cookie without an Origin; allowed: a token header"
        )
        return True
    if socket_origin.is_allowed(origin, site=handshake.address):
        return False
    log.warning(
        "websocket refused: Origin %r is not %r; add it to CSRF_TRUSTED_ORIGINS if it is yours",
        origin[:200],
        handshake.address,
    )
    return True
