from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from rest_framework.authtoken.models import Token

from agent import errors
from sessions_app.api_errors import STATUS, exception_handler
from sessions_app.models import Session
from tests.sessions_app.rest import Rest, signed_in


def _family(kind: type[errors.AgentError]) -> Iterator[type[errors.AgentError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _family(child)


def test_it_has_a_status_for_every_error_of_the_core() -> None:
    codes = {kind.code for kind in _family(errors.AgentError) if kind.__module__ == "agent.errors"}
    assert codes <= STATUS.keys()


def test_it_names_the_execution_that_is_in_the_way() -> None:
    answer = exception_handler(errors.SessionAlreadyRunning("e7"), {})
    assert answer is not None
    assert (answer.status_code, answer.data["executionId"]) == (409, "e7")


def test_it_leaves_our_own_mistakes_to_the_server() -> None:
    assert exception_handler(KeyError("x"), {}) is None


@pytest.mark.parametrize("header", ["Token none-such", "Token", "Bearer x", "Token a b", "\x00"])
def test_it_answers_401_to_a_token_that_is_none(db: None, header: str) -> None:
    answer = Rest().get("/v1/sessions", headers={"authorization": header})
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Token"
    assert set(answer.json()) == {"code", "detail"}


def test_it_takes_a_token(owner: User) -> None:
    header = f"Token {Token.objects.create(user=owner).key}"
    assert Rest().get("/v1/sessions", headers={"authorization": header}).status_code == 200


def test_it_forgets_a_user_who_was_deactivated(owner: User) -> None:
    client = signed_in(owner)
    header = f"Token {Token.objects.create(user=owner).key}"
    User.objects.update(is_active=False)
    assert client.get("/v1/sessions").status_code == 401
    assert Rest().get("/v1/sessions", headers={"authorization": header}).status_code == 401


def test_it_names_a_method_that_is_not_there(api: Rest, session: Session) -> None:
    answer = api.send("PUT", f"/v1/sessions/{session.pk}", {})
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/sessions/", "/v1/sessions/abc", "/v1/"])
def test_it_says_as_json_that_no_route_leads_there(api: Rest, path: str) -> None:
    answer = api.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert answer.json() == {"code": "not_found", "detail": f"There is nothing at {path}."}


def test_it_leaves_other_addresses_to_the_sites_page(api: Rest) -> None:
    answer = api.get("/nothing")
    assert (answer.status_code, answer["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_it_keeps_answers_out_of_caches(api: Rest) -> None:
    assert api.get("/v1/sessions")["Cache-Control"] == "no-store, private"
