import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from memory_app.models import MemoryItem
from sessions_app import claims
from sessions_app.models import Session, ToolOutput
from tests.browser.conftest import Open
from tests.sessions_app.page_rows import answer, push, requested, say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NARROW = {"viewport": {"width": 390, "height": 844}}
SCROLLED = "document.querySelector('#scroll').scrollTop"


def fits(page: Page) -> bool:
    """Whether nothing sticks out sideways."""
    width = "document.documentElement"
    return bool(page.evaluate(f"{width}.scrollWidth <= {width}.clientWidth"))


def test_enter_sends_and_shift_enter_makes_a_line(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    composer = page.get_by_test_id("composer")
    composer.press_sequentially("Hello")
    composer.press("Shift+Enter")
    composer.press_sequentially("you")
    composer.press("Enter")
    bubble = page.get_by_test_id("message").and_(page.locator("[data-role=user]"))
    expect(bubble.locator(".bubble")).to_have_text("Hello\nyou", timeout=30_000)
    expect(composer).to_have_value("")
    expect(page.locator(".phase")).to_have_text("Completed", timeout=30_000)


def test_a_refused_message_stays_and_says_why(
    open_page: Open, session: Session, problems: list[str]
) -> None:
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    page = open_page(f"/sessions/{session.pk}")
    page.get_by_test_id("composer").fill("Hello")
    page.get_by_test_id("send").click()
    expect(page.locator("#trouble")).to_contain_text("The session is busy", timeout=30_000)
    expect(page.get_by_test_id("composer")).to_have_value("Hello")
    assert ["409" in text for text in problems] == [True]
    problems.clear()


def test_the_memory_switch_is_kept(open_page: Open, session: Session, owner: User) -> None:
    MemoryItem.objects.create(owner=owner, content="Never push.", dedup_hash="1")
    page = open_page(f"/sessions/{session.pk}")
    switch = page.get_by_test_id("memory-injection-toggle")
    expect(switch).to_be_checked()
    switch.click()
    expect(page.locator("[data-part=memories]")).to_contain_text("1 held back by the switch")
    page.reload()
    expect(switch).not_to_be_checked()
    switch.click()
    expect(page.locator("[data-part=memories]")).not_to_contain_text("held back")
    session.refresh_from_db()
    assert session.memory_injection_disabled is False


def test_the_permission_level_is_kept(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    with page.expect_response(f"**/v1/sessions/{session.pk}"):
        page.get_by_label("What the agent may do").select_option("READ_WRITE")
    session.refresh_from_db()
    assert session.permission_level == "READ_WRITE"


def test_earlier_messages_come_without_a_jump(open_page: Open, session: Session) -> None:
    for number in range(120):
        say(session, "user", f"text {number}")
    page = open_page(f"/sessions/{session.pk}")
    first = page.get_by_text("text 70", exact=True)
    first.scroll_into_view_if_needed()
    before = first.bounding_box()
    page.get_by_role("link", name="Earlier messages").click()
    expect(page.get_by_text("text 20", exact=True)).to_be_attached()
    after = first.bounding_box()
    assert before
    assert after
    assert abs(before["y"] - after["y"]) < 60
    page.get_by_role("link", name="Earlier messages").click()
    expect(page.get_by_test_id("message")).to_have_count(120)
    expect(page.locator("#earlier")).to_be_hidden()


def test_the_reader_keeps_the_place_and_can_go_to_the_end(
    open_page: Open, session: Session
) -> None:
    for number in range(40):
        say(session, "user", f"text {number}")
    page = open_page(f"/sessions/{session.pk}")
    expect(page.get_by_text("text 39", exact=True)).to_be_in_viewport()
    page.evaluate(f"{SCROLLED} = 100")
    page.get_by_test_id("composer").focus()
    expect(page.locator("#down")).to_be_visible()
    assert page.evaluate(SCROLLED) == 100
    page.locator("#down").click()
    expect(page.get_by_text("text 39", exact=True)).to_be_in_viewport()
    expect(page.locator("#down")).to_be_hidden()


def test_a_cut_result_shows_everything_when_asked(open_page: Open, session: Session) -> None:
    row = answer(session, "c1", {"content": "first part\n"}, metadata={"resultTruncated": True})
    ToolOutput.objects.create(message=row, output="first part\nand the rest \u202e")
    page = open_page(f"/sessions/{session.pk}")
    expect(page.get_by_test_id("result-truncated-badge")).to_have_text("output truncated")
    page.locator(".card summary").click()
    page.get_by_role("link", name="Show everything").click()
    expect(page.locator(".result")).to_have_text("first part\nand the rest ⟨U+202E⟩")


def test_a_long_message_unfolds(open_page: Open, session: Session) -> None:
    say(session, "assistant", "word " * 4_000 + "end")
    page = open_page(f"/sessions/{session.pk}")
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_test_id("message")).to_contain_text("word end")
    expect(page.get_by_test_id("message")).to_have_count(1)


def test_the_inspector_has_its_tabs(open_page: Open, session: Session) -> None:
    push(session)
    requested(session, actual=3_900)
    page = open_page(f"/sessions/{session.pk}")
    expect(page.get_by_test_id("context-section").first).to_be_visible()
    page.get_by_role("link", name="Requests").click()
    expect(page.get_by_role("cell", name="3,900")).to_be_visible()
    expect(page.get_by_test_id("context-section").first).to_be_hidden()
    page.get_by_test_id("context-tab").click()
    expect(page.get_by_test_id("context-section").first).to_be_visible()
    page.get_by_role("button", name="estimate").click()
    expect(page.locator("#what-counts")).to_contain_text("Not counted is the answer")


def test_a_narrow_screen_shows_one_thing_at_a_time(open_page: Open, session: Session) -> None:
    push(session)
    say(session, "assistant", "|a|b|\n|-|-|\n|" + "x" * 80 + "|" + "y" * 80 + "|")
    page = open_page(f"/sessions/{session.pk}", **NARROW)
    expect(page.get_by_test_id("composer")).to_be_visible()
    expect(page.get_by_test_id("water-level")).to_be_visible()
    assert fits(page)
    page.get_by_test_id("context-tab").click()
    expect(page.get_by_test_id("context-section").first).to_be_visible()
    expect(page.get_by_test_id("composer")).to_be_hidden()
    assert fits(page)
    page.goto(page.url.split("/sessions")[0])
    assert fits(page)


def test_the_language_is_one_click_away(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_test_id("context-tab")).to_have_text("上下文")
    assert page.evaluate("document.documentElement.lang") == "zh-hans"


def test_a_message_is_sent_without_scripts(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}", java_script_enabled=False)
    page.get_by_test_id("composer").fill("Hello\nthere")
    page.get_by_test_id("send").click()
    expect(page.locator(":target .bubble")).to_have_text("Hello\nthere")
    for _ in range(50):
        page.get_by_role("link", name="Load it again").click()
        if page.locator(".assistant .markdown").count():
            break
        page.wait_for_timeout(200)
    expect(page.locator(".assistant .markdown")).to_contain_text("rehearsal model")
    expect(page.locator("#permission")).to_be_hidden()


@pytest.mark.parametrize("page_of", ["", "?before=9"])  # earlier messages need no scripts
def test_without_scripts_the_tab_in_sight_is_marked(
    open_page: Open, session: Session, page_of: str
) -> None:
    page = open_page(f"/sessions/{session.pk}{page_of}", java_script_enabled=bool(page_of))
    for name in ("Context", "Requests", "Compactions"):
        if name != "Context":
            page.get_by_role("link", name=name, exact=True).click()
        bold = [t.inner_text() for t in page.locator(".tabs a").all() if _is_bold(t)]
        assert bold == [name]


def _is_bold(link: Locator) -> bool:
    return bool(link.evaluate("link => getComputedStyle(link).fontWeight === '600'"))


def test_the_list_of_requests_fits_its_place(open_page: Open, session: Session) -> None:
    sizes = {"estimated": 12_345, "actual": 12_345, "cached_tokens": 1_234, "output_tokens": 9_999}
    requested(session, kind="summary", duration_ms=123, **sizes)
    page = open_page(f"/sessions/{session.pk}#requests")
    expect(page.locator(".requests .badge")).to_be_visible()
    right = "css => document.querySelector(css).getBoundingClientRect().right"
    assert page.evaluate(right, "#requests table") <= page.evaluate(right, "#requests .note")


def test_a_view_begins_at_its_top(open_page: Open, session: Session) -> None:
    push(session)
    for _ in range(40):
        requested(session)
    page = open_page(f"/sessions/{session.pk}", viewport={"width": 1400, "height": 500})
    side = page.locator(".side")
    side.evaluate("side => { side.scrollTop = 150 }")
    page.get_by_role("link", name="Requests", exact=True).click()
    expect(page.locator("#requests")).to_be_visible()
    assert side.evaluate("side => side.scrollTop") == 0


def test_what_is_filled_in_differs_from_a_placeholder(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}/settings")
    colour = "e => getComputedStyle(e).color"
    places = ("[name=title]", "main label >> nth=0", "body")
    field, label, body = (page.locator(place).evaluate(colour) for place in places)
    assert field == body
    assert label != body  # placeholders are as pale as labels


def test_the_focus_opens_below_its_buttons(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    button = page.locator(".focus summary")
    before = button.bounding_box()
    expect(page.locator("#focus")).to_be_hidden()
    button.click()
    expect(page.locator("#focus")).to_be_visible()
    assert button.bounding_box() == before


def test_it_can_be_read_without_scripts(open_page: Open, session: Session) -> None:
    push(session)
    say(session, "assistant", "Hello **you**")
    page = open_page(f"/sessions/{session.pk}", java_script_enabled=False, **NARROW)
    for text in ("Hello you", "Parts 4,000", "No requests yet."):
        expect(page.get_by_text(text).first).to_be_visible()
