"""Links to a message (#message-ID) that is folded away or was not loaded yet."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory_app.models import MemoryItem
from sessions_app.models import Message, Session
from tests.browser.conftest import Open
from tests.sessions_app.compaction_rows import compacted
from tests.sessions_app.page_rows import say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def rows(session: Session) -> list[Message]:
    """More messages than a page has, twice."""
    return [say(session, "user", f"text {number}\n\n" * 4) for number in range(140)]


def is_reached(page: Page, message: Message) -> None:
    target = page.locator(f"#message-{message.pk}")
    expect(target).to_be_in_viewport(timeout=10_000)
    expect(page.locator(":target")).to_have_attribute("id", f"message-{message.pk}")


@pytest.mark.parametrize("number", [0, 60, 75])
def test_a_folded_message_is_unfolded(
    open_page: Open, session: Session, rows: list[Message], number: int
) -> None:
    compacted(session, rows[70])
    compacted(session, rows[130])
    page = open_page(f"/sessions/{session.pk}#message-{rows[number].pk}")
    is_reached(page, rows[number])
    expect(page.locator("details.fold[open]")).to_have_count(1)
    page.reload()
    is_reached(page, rows[number])


def test_an_earlier_message_is_loaded(
    open_page: Open, session: Session, rows: list[Message]
) -> None:
    page = open_page(f"/sessions/{session.pk}")
    expect(page.locator(f"#message-{rows[139].pk}")).to_be_in_viewport()
    page.evaluate(f"location.hash = 'message-{rows[20].pk}'")
    is_reached(page, rows[20])


def test_a_message_further_back_has_a_page_of_its_own(
    open_page: Open, session: Session, rows: list[Message]
) -> None:
    for number in range(22):  # more compactions than the page has folds for
        compacted(session, rows[number + 2])
    page = open_page(f"/sessions/{session.pk}#message-{rows[1].pk}")
    page.wait_for_url(f"**/sessions/{session.pk}?before={rows[1].pk + 1}#*")
    is_reached(page, rows[1])


def test_a_memory_leads_to_the_message_it_comes_from(
    open_page: Open, session: Session, rows: list[Message], owner: User
) -> None:
    compacted(session, rows[130])
    MemoryItem.objects.create(
        owner=owner,
        scope="USER",
        content="Likes tea.",
        source="AUTO",
        status="PROPOSED",
        origin_session_id=session.pk,
        origin_message_id=rows[100].pk,
    )
    page = open_page("/settings/memory")
    page.get_by_role("link", name=f"message {rows[100].pk}").click()
    is_reached(page, rows[100])
