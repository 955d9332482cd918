"""A real Chromium in front of the real server, which runs in a thread of the test's process."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from config.asgi import application
from tests.browser.serving import ARGUMENTS, CHROMIUM, serving

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium(django_db_setup: None) -> Iterator[Browser]:
    """One browser for the tests of a file; each opens contexts of its own.

    Not for all files: Playwright's event loop runs in this thread as long as the browser lives, and
    other tests may come between. Django must not take that for async code of ours.
    """
    if not CHROMIUM.exists() and not os.environ.get("CI"):
        pytest.skip(f"{CHROMIUM} is not installed")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def server(chromium: Browser, runs_end: None) -> Iterator[str]:
    """The address of the server."""
    with serving(application) as address:
        yield address


@pytest.fixture
def problems() -> Iterator[list[str]]:
    """What the browser complained of, or was refused. Must be empty when the test ends."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def open_page(
    chromium: Browser, server: str, owner: User, client: Client, problems: list[str]
) -> Iterator[Open]:
    """Open an address of the server as its owner; further arguments are the context's."""
    client.force_login(owner)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": server}
    contexts: list[BrowserContext] = []

    def open_(address: str, **options: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1400, "height": 1000}, **options})
        context.add_cookies([cookie])  # type: ignore[list-item]  # a typed dict of playwright's
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: _note(problems, message.type, message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: _stay_home(problems, server, request.url))
        page.goto(server + address)
        return page

    yield open_
    for context in contexts:
        context.close()


def _note(problems: list[str], kind: str, text: str) -> None:
    if kind in {"error", "warning"}:
        problems.append(text)


def _stay_home(problems: list[str], server: str, url: str) -> None:
    if not url.startswith((server, "data:")):
        problems.append(f"request to {url}")
