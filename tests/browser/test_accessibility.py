from typing import Any

import pytest
from axe_core_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.contrib.auth.models import User
from playwright.sync_api import Page

from memory_app.models import MemoryItem
from sessions_app.models import Session
from tests.browser.conftest import Open
from tests.sessions_app.page_rows import answer, ask, call, push, requested, say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
VIEWS = [
    {"color_scheme": "light"},
    {"color_scheme": "dark"},
    {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
]


def complaints(page: Page) -> list[tuple[str, str]]:
    found: Any = Axe().run(page, options=RULES)
    return [(one["id"], node["html"]) for one in found["violations"] for node in one["nodes"]]


@pytest.fixture
def full(session: Session, owner: User) -> Session:
    """A session with something of everything."""
    item = MemoryItem.objects.create(owner=owner, content="Never push.", dedup_hash="1")
    push(session, memoryIds=[item.pk])
    requested(session, actual=3_900, stop_reason="stop")
    ask(session, "Read it.", phase="FAILED", error="The key is not valid.")
    text = "See [this](https://a.example) and `that`:\n\n> quoted\n\n|a|\n|-|\n|1|"
    say(session, "assistant", text, tool_calls=[call("c1", path="a.py"), call("c2")])
    answer(session, "c1", metadata={"resultTruncated": True, "isError": True, "durationMs": 3})
    return session


@pytest.mark.parametrize("view", VIEWS, ids=["light", "dark", "narrow"])
def test_the_session_page_can_be_used_by_all(
    open_page: Open, full: Session, view: dict[str, Any]
) -> None:
    page = open_page(f"/sessions/{full.pk}", **view)
    page.locator(".card").first.locator("summary").click()
    assert complaints(page) == []
    page.goto(page.url + "#requests")
    assert complaints(page) == []


@pytest.mark.parametrize("view", VIEWS, ids=["light", "dark", "narrow"])
def test_list_and_sign_in_can_be_used_by_all(
    open_page: Open, full: Session, view: dict[str, Any]
) -> None:
    page = open_page("/", **view)
    assert complaints(page) == []
    page.context.clear_cookies()
    page.reload()
    assert complaints(page) == []


@pytest.mark.parametrize("view", VIEWS, ids=["light", "dark", "narrow"])
def test_the_memory_page_can_be_used_by_all(
    open_page: Open, full: Session, view: dict[str, Any]
) -> None:
    item = MemoryItem.objects.get()
    for status in MemoryItem.Status.values:
        MemoryItem.objects.create(
            owner=full.owner, content=status, dedup_hash=status, status=status, project_key="p"
        )
    page = open_page("/settings/memory", **view)
    for query in ("", f"?edit={item.pk}#memory-{item.pk}", f"?delete={item.pk}#memory-{item.pk}"):
        page.goto(page.url.split("?")[0] + query)
        assert complaints(page) == []
