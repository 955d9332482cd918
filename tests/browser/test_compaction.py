"""Compactions as people see them, in a real browser, with the real engine behind."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from sessions_app.models import ModelProfile, Session
from tests.browser.conftest import Open
from tests.browser.test_accessibility import VIEWS, complaints
from tests.sessions_app.asking import fill
from tests.sessions_app.compacting import HANDOFF, HANGING
from tests.sessions_app.compaction_rows import compacted, tried
from tests.sessions_app.page_rows import say
from tests.sessions_app.running import compact, run, wire_model, write
from tests.wire.fixture import Wire

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WAIT_MS = 30_000
BETWEEN_TAGS = re.compile(r">\s+<")


def markers(page: Page) -> Locator:
    return page.get_by_test_id("compaction-marker")


def progress(page: Page) -> Locator:
    return page.locator(".progress")


def state(page: Page, name: str) -> None:
    expect(page.locator(f".progress[data-state={name}]")).to_be_visible(timeout=WAIT_MS)


def shown(page: Page) -> list[str]:
    """What a reload must show as well."""
    places = page.locator("#folds, #messages, #tail, [data-part]").all()
    return [BETWEEN_TAGS.sub("><", place.inner_html()).strip() for place in places]


def settled(page: Page) -> None:
    """Until the page shows all there is."""
    page.wait_for_timeout(700)


@pytest.fixture
def small(make_session: Callable[..., Session], model: ModelProfile) -> Session:
    """A session of the rehearsal model with a window that a short tour fills several times."""
    ModelProfile.objects.filter(pk=model.pk).update(window_tokens=16_000)
    session = make_session()
    for number in range(10):
        write(session, f"part{number:02}.txt", f"line {number} of this file\n" * 600)
    return session


@pytest.fixture
def wired(make_session: Callable[..., Session], wire: Wire) -> Session:
    """A session on the wire server with four long answers; only the last run was a real one."""
    session = make_session(model=wire_model(wire.base_url, window_tokens=20_000))
    fill(session, rounds=3, words=300)
    wire.script({"text": "answer 3 " + "word " * 300})
    return run(session, "wish 3")


def test_a_long_tour_is_compacted_again_and_again_and_stays_readable(
    open_page: Open, small: Session
) -> None:
    page = open_page(f"/sessions/{small.pk}")
    page.get_by_test_id("composer").fill("tour *.txt")
    page.get_by_test_id("send").click()
    expect(markers(page).nth(2)).to_be_visible(timeout=60_000)
    expect(page.locator(".phase")).to_have_text("Completed", timeout=60_000)
    assert {one.get_attribute("data-trigger-mode") for one in markers(page).all()} == {"mid_loop"}
    settled(page)
    before = shown(page)
    page.reload()
    settled(page)
    assert shown(page) == before
    fold = page.locator("details.fold").first
    fold.locator("summary").first.click()
    expect(fold.get_by_test_id("message").first).to_contain_text("tour *.txt")
    markers(page).first.locator("summary").click()
    expect(markers(page).first.locator(".summary")).to_be_visible()


def test_one_click_compacts_and_every_page_shows_it(open_page: Open, wired: Session) -> None:
    page = open_page(f"/sessions/{wired.pk}")
    other = page.context.new_page()
    other.goto(page.url)
    page.get_by_test_id("compact-now").click()
    state(page, "compacted")
    state(other, "compacted")
    expect(markers(other)).to_have_attribute("data-trigger-mode", "manual")
    expect(markers(other)).to_contain_text("Compacted by hand")
    settled(page)
    settled(other)
    assert shown(page) == shown(other)
    page.get_by_test_id("compaction-summary").locator("summary").click()
    expect(page.get_by_test_id("compaction-summary").locator(".loaded")).to_contain_text(
        "stands for"
    )


def test_an_idle_compaction_shows_that_it_works_and_stops(
    open_page: Open, wired: Session, wire: Wire
) -> None:
    wire.script(HANGING)
    page = open_page(f"/sessions/{wired.pk}")
    page.get_by_test_id("compact-now").click()
    state(page, "working")
    expect(progress(page)).to_contain_text("Compacting by hand")
    expect(progress(page).locator("time")).to_contain_text(" s")
    page.reload()
    state(page, "working")
    page.get_by_test_id("cancel").click()
    state(page, "cancelled")
    expect(page.get_by_test_id("cancel")).to_be_hidden()
    expect(markers(page)).to_have_count(0)


def test_during_a_run_it_waits_for_the_round(open_page: Open, wired: Session, wire: Wire) -> None:
    call = {"tool_calls": [{"name": "glob_search", "arguments": {"pattern": "*"}}]}
    wire.script({**call, "delay": 2.5}, HANDOFF, {"text": "All done."})
    page = open_page(f"/sessions/{wired.pk}")
    page.get_by_test_id("composer").fill("Look around.")
    page.get_by_test_id("send").click()
    expect(page.locator(".phase")).to_contain_text("Running")
    page.get_by_test_id("compact-now").click()
    queued = page.locator(".progress[data-state=queued]")
    expect(queued).to_contain_text("will be done after the current tool round", timeout=WAIT_MS)
    state(page, "compacted")
    expect(markers(page)).to_have_count(1)
    expect(page.get_by_text("All done.")).to_be_visible(timeout=WAIT_MS)


def test_undo_brings_the_messages_back(open_page: Open, wired: Session) -> None:
    compact(wired)
    page = open_page(f"/sessions/{wired.pk}")
    expect(page.get_by_text("wish 0", exact=True)).to_have_count(0)
    page.locator("#undo-confirm > summary").click()
    page.locator("#undo-now").click()
    state(page, "undone")
    expect(page.get_by_text("wish 0", exact=True)).to_be_attached()
    expect(markers(page)).to_have_count(0)
    expect(page.locator(".quiet-line")).to_contain_text("Taken back")
    settled(page)
    before = shown(page)
    page.reload()
    settled(page)
    assert shown(page) == before


def test_a_failed_summary_changes_nothing_and_says_why(
    open_page: Open, wired: Session, wire: Wire
) -> None:
    wire.script({"when": "<handoff>", "status": 400, "body": {"error": {"message": "no credit"}}})
    page = open_page(f"/sessions/{wired.pk}")
    page.get_by_test_id("compact-now").click()
    state(page, "failed")
    expect(progress(page)).to_contain_text("no credit")
    expect(page.locator(".quiet-line")).to_contain_text("failed; nothing was changed")
    expect(markers(page)).to_have_count(0)
    page.get_by_role("link", name="Compactions").click()
    expect(page.locator(".past .problem")).to_contain_text("no credit")


def test_focus_and_tier_go_along(open_page: Open, wired: Session, wire: Wire) -> None:
    page = open_page(f"/sessions/{wired.pk}")
    page.get_by_label("How much of the newest").select_option("light")
    page.locator(".focus summary").click()
    page.get_by_label("What the summary should attend to").fill("Keep the file names.")
    page.get_by_test_id("compact-now").click()
    state(page, "compacted")
    asked = wire.requests()[-1].body["messages"][-1]["content"]
    assert "Keep the file names." in asked
    event = wired.compaction_events.get()
    assert event.tier == "light"
    expect(page.locator("#focus")).to_be_hidden()


def test_who_reads_above_keeps_what_is_folded_away(open_page: Open, wired: Session) -> None:
    page = open_page(f"/sessions/{wired.pk}")
    page.evaluate("document.querySelector('#scroll').scrollTop = 0")
    expect(page.locator("#down")).to_be_visible()
    reading = page.get_by_text("wish 0", exact=True)
    place = reading.bounding_box()
    compact(wired)
    expect(markers(page)).to_have_count(1)
    now = reading.bounding_box()
    assert place
    assert now
    assert abs(now["y"] - place["y"]) < 2
    assert page.locator("details.fold").get_attribute("open") is not None


def test_it_can_be_done_and_undone_without_scripts(open_page: Open, wired: Session) -> None:
    page = open_page(f"/sessions/{wired.pk}", java_script_enabled=False)
    page.get_by_test_id("compact-now").click()
    for _ in range(50):
        if markers(page).count():
            break
        page.wait_for_timeout(200)
        page.reload()
    markers(page).locator("summary").click()
    page.get_by_role("link", name="Open the summary").first.click()
    expect(page.locator(".summary-page")).to_contain_text("stands for")
    page.go_back()
    page.locator("#undo-confirm > summary").click()
    page.locator("#undo-now").click()
    expect(progress(page)).to_contain_text("taken back")
    expect(markers(page)).to_have_count(0)


def test_it_speaks_chinese(open_page: Open, wired: Session) -> None:
    compact(wired)
    page = open_page(f"/sessions/{wired.pk}", locale="zh-CN")
    expect(page.get_by_test_id("compact-now")).to_have_text("立即整理上下文")
    expect(page.get_by_test_id("compaction-summary")).to_contain_text("查看上次摘要")
    expect(markers(page)).to_contain_text("手动整理上下文")
    expect(page.locator("details.fold > summary")).to_contain_text("仍可查看")


@pytest.mark.parametrize("view", VIEWS, ids=["light", "dark", "narrow"])
def test_it_can_be_used_by_all(open_page: Open, session: Session, view: dict[str, Any]) -> None:
    rows = [say(session, "user", f"text {number}") for number in range(4)]
    compacted(session, rows[1])
    tried(session, "failed", "mid_loop", error="no credit")
    page = open_page(f"/sessions/{session.pk}", **view)
    for fold in ("details.fold", "details.divider"):
        page.locator(f"{fold} > summary").click()
    expect(page.locator(".divider .summary")).to_be_visible()
    assert complaints(page) == []
    page.goto(page.url + "#context")
    for control in ("#undo-confirm", "#last-summary", ".focus"):
        page.locator(f"{control} > summary").click()
    assert complaints(page) == []
    page.goto(page.url.replace("#context", "#compactions"))
    assert complaints(page) == []
