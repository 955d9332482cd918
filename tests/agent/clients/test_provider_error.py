"""Reading errors of every shape."""

import time
from email.utils import formatdate
from typing import Any

import pytest

from agent.clients.provider_error import ProviderError, read_error, retry_after


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "a"}}, "a"),
        ([{"error": {"message": "a"}}], "a"),
        ({"error": "a", "code": "b"}, "a"),
        ({"message": "a"}, "a"),
        ({"detail": ["a"]}, "['a']"),
        ({"response": {"error": {"message": "a"}}}, "a"),
        ("<html><style>p{}</style><h1>502\nBad</h1></html>", "502 Bad"),
        ("1 < 2", "1 < 2"),
        ("", ""),
        ([], ""),
        (None, ""),
    ],
)
def test_the_message_is_found(body: Any, message: str) -> None:
    assert read_error(400, body).message == message


def test_fields_become_one_shape() -> None:
    body = {"error": {"message": "m", "type": "t", "code": 3, "n_ctx": 10, "n_prompt_tokens": 12}}
    error = read_error(400, body, {"Retry-After": "2"})
    assert error == ProviderError(400, "m", "3", "t", 10, 12, 2.0)
    assert error.words == "http 400\n3\nt\nm"


def test_a_type_may_stand_in_a_header() -> None:
    assert read_error(400, {}, {"x-amzn-ErrorType": "ValidationException"}).type == (
        "ValidationException"
    )


@pytest.mark.parametrize(("code", "status"), [(502, 502), (200, None), ("502", None), (True, None)])
def test_a_numeric_code_in_a_stream_is_its_status(code: object, status: int | None) -> None:
    assert read_error(None, {"error": {"code": code}}).status == status


def test_what_is_shown_is_one_short_line() -> None:
    assert read_error(400, "x" * 9_999).shown == "x" * 500 + " (HTTP 400)"
    assert read_error(None, "broken").shown == "broken"
    assert read_error(503, "").shown == "the provider answered HTTP 503 without an explanation"
    assert read_error(None, {}).shown == "the provider answered an error without an explanation"


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, "", 1.5),
        ({"retry-after": formatdate(0, usegmt=True)}, "", 0.0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "-3"}, "", None),
        ({"retry-after": "inf"}, "", None),
        ({}, "Please try again in 1.5s.", 1.5),
        ({}, "Try again in 20 ms", 0.02),
        ({}, "try again in 2m", 120.0),
        ({"retry-after": "7"}, "try again in 2m", 7.0),
        ({}, "try again later", None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], message: str, seconds: float | None) -> None:
    assert retry_after(headers, message) == seconds


def test_a_date_is_counted_from_now() -> None:
    seconds = retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert seconds is not None
    assert 50 < seconds <= 60
