"""How REST takes bodies: any write will do, these send to PATCH."""

import io
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.authtoken.models import Token

from sessions_app.api.parsing import MAX_BODY_BYTES
from sessions_app.models import Session
from sessions_app.strict_json import MAX_DEPTH, NotStrictJson, loads, too_deep
from tests.sessions_app.rest import Rest

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text('ab"\\[]{}\u00e9\U0001f600 ')
LEAVES = st.none() | st.booleans() | st.integers() | FINITE | TEXTS
JSON_VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=20,
)


def _nested(depth: int) -> str:
    return '{"title": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


@pytest.fixture
def patch(api: Rest, session: Session) -> Callable[..., Any]:
    """Sends a raw body to the session."""

    def send(body: str | bytes, content_type: str = "application/json") -> Any:
        return api.raw("PATCH", f"/v1/sessions/{session.pk}", body, content_type)

    return send


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"title": "x"', "Expecting ',' delimiter"),
        (b"\xff\xfe{}", "not UTF-8 at byte 0"),
        (b'\xef\xbb\xbf{"title": "x"}', "Unexpected UTF-8 BOM"),
        (b'["title"]', "not an object; allowed: {...}"),
        (b"null", "not an object; allowed: {...}"),
        (b'{"title": NaN}', "NaN is no number in JSON"),
        (b'{"title": -Infinity}', "-Infinity is no number in JSON"),
        (b'{"title": 1e999}', "1e999 is too large"),
        (b'{"title": ' + b"9" * 5_000 + b"}", "Exceeds the limit"),
        (b'{"title": "a", "title": "b"}', "the key 'title' stands twice in one object"),
        (_nested(MAX_DEPTH + 1).encode(), "nested too deep; allowed: 24 levels"),
        (b'{"title": ' + b"[" * 500_000, "nested too deep; allowed: 24 levels"),
    ],
)
def test_it_refuses_bodies_that_are_not_plain_json(
    patch: Callable[..., Any], body: bytes, reason: str
) -> None:
    answer = patch(body)
    assert answer.status_code == 400
    assert list(answer.json()) == ["body"]
    assert reason in answer.json()["body"][0]


def test_it_reads_as_deep_as_is_allowed(patch: Callable[..., Any]) -> None:
    answer = patch(_nested(MAX_DEPTH))
    assert answer.json()["title"][0].endswith("is not a text; allowed: a JSON string.")


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", ""],
)
def test_it_takes_json_only(patch: Callable[..., Any], content_type: str) -> None:
    answer = patch('{"title": "x"}', content_type)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_it_refuses_more_than_a_mebibyte(patch: Callable[..., Any]) -> None:
    answer = patch('{"title": "' + "x" * MAX_BODY_BYTES + '"}')
    assert answer.status_code == 413
    assert answer.json() == {
        "code": "body_too_large",
        "detail": "The body is too large; allowed: 1048576 bytes.",
    }


def test_it_takes_a_missing_body_for_an_empty_object(patch: Callable[..., Any]) -> None:
    assert patch(b"").status_code == 200


def test_it_lists_at_most_twenty_unknown_fields(patch: Callable[..., Any]) -> None:
    answer = patch(json.dumps({f"f{number}": 1 for number in range(1_000)}))
    assert len(answer.json()) == 20


@given(JSON_VALUES)
def test_it_measures_depth_as_a_parser_would(value: Any) -> None:
    def depth(node: Any) -> int:
        if not isinstance(node, dict | list):
            return 0
        children = node.values() if isinstance(node, dict) else node
        return 1 + max(map(depth, children), default=0)

    assert too_deep(json.dumps([value])) == (depth([value]) > MAX_DEPTH)


@given(st.dictionaries(st.text("abc"), JSON_VALUES, max_size=4))
def test_it_reads_what_a_parser_would_read(value: dict[str, Any]) -> None:
    assert loads(json.dumps(value).encode()) == value


@given(st.binary(max_size=200) | st.text('{}[]":,\\truefalsn0e').map(str.encode))
def test_it_answers_anything_with_an_object_or_an_error(raw: bytes) -> None:
    with suppress(NotStrictJson):
        assert isinstance(loads(raw), dict)


def _chunked(user: User, session: Session, body: bytes) -> tuple[int, dict[str, Any]]:
    """The answer to a PATCH as ASGI servers hand it on when its body came in chunks: no length."""
    token = Token.objects.create(user=user).key
    path = f"/v1/sessions/{session.pk}"
    scope = {
        "type": "http",
        "method": "PATCH",
        "path": path,
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", b"application/json"),
            (b"transfer-encoding", b"chunked"),
            (b"authorization", f"Token {token}".encode()),
        ],
    }
    view = resolve(path)
    answer = view.func(ASGIRequest(scope, io.BytesIO(body)), **view.kwargs).render()
    return answer.status_code, json.loads(answer.content)


def test_it_reads_a_chunked_body(owner: User, session: Session) -> None:
    status, answer = _chunked(owner, session, b'{"title": "in chunks"}')
    assert (status, answer["title"]) == (200, "in chunks")


def test_it_refuses_a_chunked_body_that_is_too_large(owner: User, session: Session) -> None:
    status, answer = _chunked(owner, session, b" " * (MAX_BODY_BYTES + 1))
    assert (status, answer["code"]) == (413, "body_too_large")


def test_it_asks_for_a_length_when_chunks_do_not_arrive(owner: User, session: Session) -> None:
    status, answer = _chunked(owner, session, b"")
    assert (status, answer["code"]) == (411, "length_required")
