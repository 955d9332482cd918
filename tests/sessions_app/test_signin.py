"""The sign-in link: one use, one hour, this machine, whoever else asks."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.utils import timezone

from sessions_app import signin

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


@pytest.fixture
def link(owner: User) -> str:
    return signin.path(owner, next_path="/sessions/7")


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_it_signs_in_and_goes_to_its_page(client: Client, link: str) -> None:
    response = client.get(link)
    assert (response.status_code, response["Location"]) == (302, "/sessions/7")
    assert response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response["Cache-Control"]
    assert signed_in(client)


def test_it_works_once(client: Client, link: str) -> None:
    client.get(link)
    second = Client()
    response = second.get(link)
    assert response.status_code == 403
    assert "was used already" in response.content.decode()
    assert "quickstart --link" in response.content.decode()
    assert not signed_in(second)


def test_any_other_sign_in_voids_it(client: Client, owner: User, link: str) -> None:
    User.objects.filter(pk=owner.pk).update(last_login=timezone.now())
    assert client.get(link).status_code == 403


def test_a_user_who_signed_in_before_gets_a_link_of_that_moment(owner: User) -> None:
    for _ in range(2):
        owner.refresh_from_db()
        assert signin.redeem(signin.path(owner).split("/")[-1]) == signin.Signin(owner, "/")


def test_it_ends_after_an_hour(client: Client, link: str) -> None:
    with time_machine.travel(timezone.now() + timedelta(hours=1, seconds=2)):
        response = client.get(link)
    assert response.status_code == 403
    assert "more than an hour old" in response.content.decode()


@pytest.mark.parametrize("change", [lambda link: link[:-1], lambda link: "/signin/x:y:z"])
def test_it_refuses_what_it_did_not_sign(client: Client, link: str, change: Any) -> None:
    response = client.get(change(link))
    assert response.status_code == 403
    assert "made by another server" in response.content.decode()


def test_a_user_who_was_switched_off_stays_out(client: Client, owner: User, link: str) -> None:
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert client.get(link).status_code == 403


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"])
def test_it_lets_this_machine_in(client: Client, link: str, address: str) -> None:
    assert client.get(link, REMOTE_ADDR=address).status_code == 302


@pytest.mark.parametrize(
    "request_from_elsewhere",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": "::ffff:192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "192.0.2.7"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_FORWARDED": "for=192.0.2.7"},
    ],
)
def test_it_refuses_other_machines_and_stays_good(
    client: Client, link: str, request_from_elsewhere: dict[str, str]
) -> None:
    response = client.get(link, **request_from_elsewhere)  # type: ignore[arg-type]
    assert response.status_code == 403
    assert "only on the machine" in response.content.decode()
    assert client.get(link).status_code == 302


def test_loading_ahead_does_not_use_it_up(client: Client, link: str) -> None:
    assert client.head(link).status_code == 403
    assert client.get(link, headers={"Sec-Purpose": "prefetch;prerender"}).status_code == 403
    assert client.get(link).status_code == 302


def test_a_refused_link_is_not_logged(
    client: Client, link: str, caplog: pytest.LogCaptureFixture
) -> None:
    client.get(link, REMOTE_ADDR="192.0.2.7")
    assert [record.getMessage() for record in caplog.records] == ["Sign-in refused: elsewhere"]


@pytest.fixture
def threads(transactional_db: None) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def test_of_eight_requests_at_once_one_gets_in(threads: ThreadPoolExecutor, link: str) -> None:
    def ask(_: int) -> int:
        try:
            return Client().get(link).status_code
        finally:
            connections.close_all()

    assert sorted(threads.map(ask, range(8))) == [302, *[403] * 7]
