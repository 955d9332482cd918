"""The context tab, the chart, the pages of requests and settings, and copying, in a browser."""

import hashlib
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from sessions_app import request_parts
from sessions_app.models import ModelProfile, Session
from sessions_app.visible import visible
from tests.browser.conftest import Open
from tests.browser.test_accessibility import VIEWS, complaints
from tests.browser.test_page import NARROW, fits
from tests.browser.test_untrusted import PAYLOADS, harmless, shown
from tests.sessions_app.page_rows import answer, push, requested, say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def logged(session: Session) -> Session:
    """A session with a question and three requests."""
    push(session)
    first = say(session, "user", "Where?", tokens=5)
    for number in range(3):
        texts = {"persona": "Be kind.", "memories": f"- {number}\n", "tools": "[1]\n" * 900}
        digests = {key: hashlib.sha256(text.encode()).hexdigest() for key, text in texts.items()}
        request_parts.store({digests[key]: texts[key] for key in texts}, known=set())
        parts = [[key, key.title(), 100, digests[key]] for key in texts]
        ids = {"first_message_id": first.pk, "last_message_id": first.pk}
        requested(session, parts=parts, actual=3_900 + number, stop_reason="stop", **ids)
    return session


def latest(session: Session) -> str:
    return f"/sessions/{session.pk}/requests/{session.requests.values_list('pk')[0][0]}"


def opacity(page: Page, selector: str) -> str:
    return str(page.locator(selector).evaluate("one => getComputedStyle(one).opacity"))


def test_a_row_lights_its_stretch_of_the_bar(open_page: Open, logged: Session) -> None:
    page = open_page(f"/sessions/{logged.pk}")
    page.locator("[data-key=tools]").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert (opacity(page, ".bar .kind-tools"), opacity(page, ".bar .kind-messages")) == ("1", "0.3")
    page.locator("[data-key=messages]").hover()
    assert opacity(page, ".bar .kind-messages") == "1"


def test_the_list_is_sorted_without_a_reload_and_stays_so(open_page: Open, logged: Session) -> None:
    page = open_page(f"/sessions/{logged.pk}")
    page.get_by_test_id("composer").fill("half a thought")
    page.get_by_role("link", name="by size").click()
    rows = page.get_by_test_id("context-section")
    expect(rows.first).to_have_attribute("data-key", "messages")
    expect(page.get_by_test_id("composer")).to_have_value("half a thought")
    page.reload()
    expect(rows.first).to_have_attribute("data-key", "messages")


def test_the_chart_tells_numbers_and_opens_the_request(open_page: Open, logged: Session) -> None:
    page = open_page(f"/sessions/{logged.pk}")
    bars = page.get_by_test_id("history-chart").locator("svg a")
    expect(bars).to_have_count(3)
    bars.last.hover()
    expect(page.locator(".readout")).to_contain_text("estimated 4,000 · measured 3,902")
    bars.first.focus()
    expect(page.locator(".readout")).to_contain_text("measured 3,900")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Request #")


def test_a_request_shows_what_was_sent_and_what_changed(open_page: Open, logged: Session) -> None:
    page = open_page(latest(logged))
    expect(page.locator(".prefix")).to_contain_text("It begins with the same 100 tokens")
    part = page.locator(".sent-part[data-key=memories]")
    expect(part).to_contain_text("the prefix ends here")
    part.locator("summary").click()
    expect(part.locator("del")).to_have_text("- - 1")
    expect(part.locator("ins")).to_have_text("+ - 2")
    tools = page.locator(".sent-part[data-key=tools]")
    tools.locator("summary").click()
    tools.get_by_role("link", name="Show all 3,600 characters").click()
    expect(tools.locator(".result")).to_have_text("[1]\n" * 900)


def test_messages_code_and_results_can_be_copied(open_page: Open, session: Session) -> None:
    say(session, "assistant", "See:\n\n```python\nprint(1)\n```\n")
    answer(session, "c1", {"content": "x"})
    page = open_page(f"/sessions/{session.pk}", permissions=["clipboard-read", "clipboard-write"])
    places = [
        (page.locator(".markdown pre .copy"), "print(1)\n"),
        (page.locator("article .who .copy"), "See:\n\n```python\nprint(1)\n```\n"),
        (page.locator(".card .copy"), '{"content":"x"}'),
    ]
    page.locator(".card summary").click()
    for button, text in places:
        button.hover()
        button.click()
        expect(button).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == text


def test_another_model_is_kept(open_page: Open, session: Session) -> None:
    other = ModelProfile.objects.create(name="other", provider="rehearsal", window_tokens=9_000)
    page = open_page(f"/sessions/{session.pk}")
    with page.expect_response(f"**/v1/sessions/{session.pk}"):
        page.get_by_label("Model").select_option("other")
    session.refresh_from_db()
    assert session.model == other


def test_a_session_is_renamed_and_deleted_without_scripts(
    open_page: Open, session: Session
) -> None:
    page = open_page("/", java_script_enabled=False)
    page.get_by_role("link", name="Rename or delete: Test").click()
    page.get_by_label("Title").fill("Better")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#title")).to_have_text("Better")
    page.get_by_role("link", name="Settings of the session").click()
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No sessions yet.")).to_be_visible()


@pytest.mark.parametrize("view", VIEWS, ids=["light", "dark", "narrow"])
def test_its_pages_can_be_used_by_all(
    open_page: Open, logged: Session, view: dict[str, Any]
) -> None:
    page = open_page(latest(logged), **view)
    for part in page.locator(".sent-part summary").all():
        part.click()
    assert complaints(page) == []
    for place in (f"/sessions/{logged.pk}/requests", f"/sessions/{logged.pk}/settings", "/?q=x"):
        page.goto(page.evaluate("location.origin") + place)
        assert complaints(page) == []


def test_its_pages_fit_a_narrow_screen(open_page: Open, logged: Session) -> None:
    for place in (latest(logged), f"/sessions/{logged.pk}/requests"):
        assert fits(open_page(place, **NARROW))


def test_markup_is_text_in_what_was_sent(open_page: Open, session: Session) -> None:
    for mark in ("", "x"):
        texts = {f"part{number}": text + mark for number, text in enumerate(PAYLOADS)}
        digests = {key: hashlib.sha256(text.encode()).hexdigest() for key, text in texts.items()}
        request_parts.store({digests[key]: texts[key] for key in texts}, known=set())
        parts = [[key, texts[key], 1, digests[key]] for key in texts]
        requested(session, parts=parts, error=texts["part0"], model_name=texts["part0"])
    page = open_page(latest(session))
    for part in page.locator(".sent-part summary").all():
        part.click()
    harmless(page)
    counts = [shown(page).count(visible(payload)) for payload in PAYLOADS]
    assert min(counts) >= 3  # as label, in the list and above its text; and in the text
