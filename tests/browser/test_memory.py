"""Memories in a real browser: the switch in two tabs, proposals, the settings page."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory_app.models import MemoryItem
from sessions_app.models import Session
from tests.browser.conftest import Open
from tests.sessions_app.page_rows import push
from tests.sessions_app.remembering import remember, set_status
from tests.sessions_app.running import run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/settings/memory"
WIDE, NARROW = {"width": 1400, "height": 1000}, {"width": 390, "height": 844}


def fits(page: Page) -> bool:
    """Whether nothing sticks out at the right."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_another_tab_sees_the_switch(open_page: Open, session: Session, owner: User) -> None:
    remember(owner, "Likes tea")
    here, there = open_page(f"/sessions/{session.pk}"), open_page(f"/sessions/{session.pk}")
    for off in (True, False):
        here.get_by_test_id("memory-injection-toggle").click()
        switch = expect(there.get_by_test_id("memory-injection-toggle"))
        switch.not_to_be_checked() if off else switch.to_be_checked()
        session.refresh_from_db()
        assert session.memory_injection_disabled is off


@pytest.mark.parametrize(("button", "status"), [("Accept", "ACTIVE"), ("Dismiss", "DISMISSED")])
def test_a_proposal_is_decided_in_its_card(
    open_page: Open, session: Session, button: str, status: str
) -> None:
    run(session, "remember Likes tea")
    page = open_page(f"/sessions/{session.pk}")
    card = page.locator(".card")
    card.get_by_role("button", name=button).click()
    expect(card.get_by_role("button", name=button)).to_have_count(0)
    expect(card).to_contain_text("runs get it" if status == "ACTIVE" else "no run gets it")
    assert MemoryItem.objects.get().status == status


def test_a_chip_leads_to_its_very_item(open_page: Open, session: Session, owner: User) -> None:
    first, _ = remember(owner, "Likes tea"), remember(owner, "Uses tabs")
    push(session, memoryIds=[first.pk])
    page = open_page(f"/sessions/{session.pk}")
    page.get_by_test_id("memory-chip").click()
    expect(page).to_have_url(re.compile(f"{PAGE}#memory-{first.pk}$"))
    target = page.locator(":target")
    expect(target).to_contain_text("Likes tea")
    expect(target).to_be_in_viewport()
    colour = "element => getComputedStyle(element).backgroundColor"
    assert target.evaluate(colour) != page.locator(".memory").first.evaluate(colour)


def test_a_chip_leads_to_an_item_that_the_list_does_not_show(open_page: Open, owner: User) -> None:
    old = remember(owner, "Old")
    set_status(old, "DISMISSED")
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"{n}", dedup_hash=f"{n}", status="DISMISSED")
        for n in range(60)
    )
    page = open_page(f"{PAGE}#memory-{old.pk}")
    expect(page.locator(":target")).to_contain_text("Old")


def test_a_chip_of_a_deleted_item_says_so(open_page: Open, problems: list[str]) -> None:
    page = open_page(f"{PAGE}#memory-99999")
    expect(page.locator(".empty")).to_contain_text("There is no memory 99999")
    assert ["404" in text for text in problems] == [True]
    problems.clear()


def test_a_memory_lives_its_life_on_the_page(open_page: Open) -> None:
    page = open_page(PAGE)
    item = page.locator(".memory")
    page.get_by_label("What to remember").fill("Likes tea")
    expect(page.locator(".left")).to_have_text("9 / 500")
    page.get_by_role("button", name="Remember").click()
    expect(item).to_contain_text("Likes tea")
    item.get_by_role("link", name="Edit").click()
    item.get_by_label("What to remember").fill("Likes coffee")
    item.get_by_label("Project").fill("vitrine")
    item.get_by_role("button", name="Save").click()
    expect(item.locator(".project")).to_have_text("vitrine")
    item.get_by_role("button", name="Dismiss").click()
    item.get_by_role("button", name="Restore").click()
    expect(item).to_have_attribute("data-status", "ACTIVE")
    item.get_by_role("link", name="Delete…").click()
    item.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("is deleted")
    assert not MemoryItem.objects.exists()


def test_it_works_without_scripts(open_page: Open) -> None:
    page = open_page(PAGE, java_script_enabled=False)
    page.get_by_label("What to remember").fill("Likes tea")
    page.get_by_role("button", name="Remember").click()
    expect(page.locator(".memory:target")).to_contain_text("Likes tea")
    page.get_by_role("searchbox").fill("coffee")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".empty")).to_contain_text("No memory fits")


@pytest.fixture
def full(owner: User) -> list[MemoryItem]:
    """Some memories that are hard to lay out."""
    texts = ["x" * 500, "Wraps well " * 40, "两行\n文字", "<b onmouseover=window.__x=1>"]
    items = [remember(owner, text) for text in texts]
    return [*items, remember(owner, "of a project", project="p" * 200)]


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_every_screen(
    open_page: Open,
    full: list[MemoryItem],
    size: dict[str, int],
    locale: str,
    scheme: str,
) -> None:
    page = open_page(PAGE, viewport=size, locale=locale, color_scheme=scheme)
    for query in ("", f"?edit={full[0].pk}", f"?delete={full[0].pk}", f"?item={full[4].pk}"):
        page.goto(page.url.split("?")[0] + query)
        expect(page.locator(".memory").first).to_be_visible()
        assert fits(page), query
        assert page.evaluate("window.__x") is None
