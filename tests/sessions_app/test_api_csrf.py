"""Writes by cookie need the page's CSRF token; what a form on another site can send is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from sessions_app.models import Session
from tests.sessions_app.rest import Rest, signed_in

CASE = Path(__file__).parents[1] / "cases" / "C37a_ws-origin.json"
POSTS = [row for row in json.loads(CASE.read_text())["input"]["attempts"] if "post" in row]


def _forms(post: dict[str, Any]) -> str:
    kind = str(post["content_type"])
    return f"{kind}; boundary=b" if kind.startswith("multipart") else kind


@pytest.mark.parametrize("post", POSTS, ids=lambda post: str(post["content_type"]))
@pytest.mark.parametrize("resource", ["messages", "cancel"])
def test_it_refuses_a_foreign_forms_post(
    owner: User, session: Session, post: dict[str, Any], resource: str
) -> None:
    client = signed_in(owner, enforce_csrf_checks=True)
    answer = client.generic(
        "POST",
        f"/v1/sessions/{session.pk}/{resource}",
        '{"content": "hello"}',
        content_type=_forms(post),
        headers={"origin": post["origin"]},
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert not session.messages.exists()


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_it_refuses_a_write_without_the_token(owner: User, session: Session, method: str) -> None:
    client = signed_in(owner, enforce_csrf_checks=True)
    answer = client.send(method, f"/v1/sessions/{session.pk}", {"title": "x"})
    assert answer.status_code == 403
    assert "CSRF" in answer.json()["detail"]


def test_it_takes_a_write_with_the_pages_token(owner: User, session: Session) -> None:
    client: Rest = signed_in(owner, enforce_csrf_checks=True)
    client.get("/accounts/login/")
    token = client.cookies["csrftoken"].value
    path = f"/v1/sessions/{session.pk}"
    answer = client.send("PATCH", path, {"title": "x"}, headers={"x-csrftoken": token})
    assert answer.status_code == 200
