from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from playwright.sync_api import Locator, Page, Route, WebSocketRoute, expect

from sessions_app import claims, hub, partials, stream
from sessions_app.models import Message, Session
from sessions_app.partials import Partial
from sessions_app.shapes import message_shape
from sessions_app.stream import NewFrame
from tests.browser.conftest import Open
from tests.sessions_app.page_rows import answer, ask, call, say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def conversation(page: Page) -> str:
    return page.inner_html("#messages") + page.inner_html("#tail")


def words(place: Locator) -> str:
    return " ".join(" ".join(place.all_inner_texts()).split())


def parts(page: Page) -> list[str]:
    """What the live parts hold; white space between elements shows nothing."""
    return [" ".join(part.inner_html().split()) for part in page.locator("[data-part]").all()]


def send(page: Page, text: str) -> None:
    page.get_by_test_id("composer").fill(text)
    page.get_by_test_id("send").click()


@transaction.atomic
def tell(session: Session, type_: str, **data: object) -> None:
    stream.append(session.pk, [NewFrame(type_, data)], execution_id="e1")


@transaction.atomic
def saved(session: Session, text: str, **fields: Any) -> None:
    """Store the answer of the request 7 and tell the pages, as a run does."""
    row = say(session, "assistant", text, **fields)
    shape = message_shape(row)
    tell(session, "assistant_message_saved", messageId=row.pk, requestId=7, message=shape)


@pytest.fixture
def streaming(session: Session) -> Session:
    """A session in the middle of its first answer, which stands at "Hel"."""
    ask(session)
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    Session.objects.filter(pk=session.pk).update(phase="RUNNING")
    partials.put(session.pk, Partial(request_id=7, text="Hel"))
    return session


def delta(session: Session, text: str, offset: int, request_id: int = 7) -> None:
    """As a run does: the partial first, so that a page that connects just now has it too."""
    before = partials.get(session.pk)
    if before is None or before.request_id != request_id:
        partials.put(session.pk, Partial(request_id=request_id, text=text))
    elif len(before.text) == offset:
        partials.put(session.pk, replace(before, text=before.text + text))
    frame = stream.delta_text(session.pk, "content_delta", text, offset, request_id, "e1")
    seq = Session.objects.get(pk=session.pk).frame_seq
    hub.delta(session.pk, frame, after_seq=seq)


def test_a_run_is_shown_as_it_goes_and_the_same_after_a_reload(
    open_page: Open, session: Session
) -> None:
    for number in range(4):
        (Path(session.workspace) / f"file{number}.py").write_text("x = 1\n" * 40)
    page = open_page(f"/sessions/{session.pk}")
    send(page, "tour *.py")
    expect(page.locator(".phase")).to_have_text("Completed", timeout=30_000)
    expect(page.locator(".card")).to_have_count(5)
    expect(page.get_by_test_id("composer")).to_have_value("")
    before = conversation(page), parts(page)
    page.reload()
    expect(page.locator(".phase")).to_have_text("Completed")
    assert (conversation(page), parts(page)) == before


def test_the_list_agrees_with_the_water_level(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    send(page, "Hello")
    expect(page.locator(".phase")).to_have_text("Completed", timeout=30_000)
    rows = page.get_by_test_id("context-section").all()
    tokens = [int(row.get_attribute("data-tokens") or "") for row in rows]
    level = page.get_by_test_id("water-level")
    assert str(sum(tokens)) == level.get_attribute("data-tokens")
    expect(page.locator(".proof").first).to_contain_text("adds up")


def test_an_answer_streams_and_becomes_the_stored_message(
    open_page: Open, streaming: Session
) -> None:
    page = open_page(f"/sessions/{streaming.pk}")
    text = page.locator(".streaming .text")
    expect(text).to_have_text("Hel")
    delta(streaming, "lo <b>\u202e", 3)
    expect(text).to_have_text("Hello <b>⟨U+202E⟩")
    partials.clear(streaming.pk)
    saved(streaming, "Hello **you**")
    expect(page.locator(".markdown strong")).to_have_text("you")
    expect(page.locator(".streaming")).to_have_count(0)


def test_what_streamed_keeps_its_place_until_its_message_is_here(
    open_page: Open, streaming: Session
) -> None:
    page = open_page(f"/sessions/{streaming.pk}")
    expect(page.locator(".streaming .text")).to_have_text("Hel")
    page.wait_for_timeout(500)
    held: list[Route] = []
    page.route("**/parts?*", lambda route: held.append(route), times=1)
    delta(streaming, "lo", 3)
    partials.clear(streaming.pk)
    calls = [call("c1", path="a.py", limit=2)]
    saved(streaming, "Hello", tool_calls=calls)
    tell(streaming, "tool_call_start", tool_call_id="c1", tool_name="r", arguments='{"p": "a b"}')
    answer(streaming, "c1")
    delta(streaming, "Next", 0, request_id=8)
    expect(page.locator(".streaming .text")).to_have_text("Next")
    assert words(page.locator("#streaming")) == "Agent Hello r a b Agent Next"
    assert page.locator("#messages .assistant").count() == 0
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator("#messages .assistant")).to_have_count(1)
    expect(page.locator("#messages .card .line")).to_have_text("a.py · 2")
    assert words(page.locator("#streaming")) == "Agent Next"


def test_a_missing_piece_is_asked_for(open_page: Open, streaming: Session) -> None:
    page = open_page(f"/sessions/{streaming.pk}")
    text = page.locator(".streaming .text")
    expect(text).to_have_text("Hel")
    partials.put(streaming.pk, Partial(request_id=7, text="Hello, you"))
    delta(streaming, "you", 7)
    expect(text).to_have_text("Hello, you")


def test_a_repeated_request_empties_what_streamed(open_page: Open, streaming: Session) -> None:
    page = open_page(f"/sessions/{streaming.pk}")
    expect(page.locator(".streaming .text")).to_have_text("Hel")
    partials.put(streaming.pk, Partial(request_id=7))
    retry = {"reason": "overloaded", "attempt": 1, "maxRetries": 3, "delaySeconds": 1.5}
    tell(streaming, "llm_retry", **retry)
    expect(page.locator(".streaming")).to_have_count(0)
    expect(page.locator(".incident")).to_contain_text("overloaded")


def test_what_a_lost_connection_missed_is_there_after_it(
    open_page: Open, streaming: Session
) -> None:
    page = open_page("/")
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if len(sockets) in {2, 3}:  # two attempts fail: the loss is long enough to show
            socket.close(code=1013)
        else:
            socket.connect_to_server()

    page.route_web_socket("**/ws/sessions/*", connect)
    page.goto(page.url + f"sessions/{streaming.pk}")
    expect(page.locator(".streaming .text")).to_have_text("Hel")
    sockets[0].close(code=1012)
    partials.clear(streaming.pk)
    saved(streaming, "Hello")
    tell(streaming, "notice", code="n", message="Something to know.")
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    expect(page.locator(".markdown")).to_have_text("Hello", timeout=10_000)
    expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator(".streaming")).to_have_count(0)
    before = conversation(page)
    page.reload()
    assert conversation(page) == before


def test_two_pages_of_a_session_show_the_same(open_page: Open, streaming: Session) -> None:
    one, other = (open_page(f"/sessions/{streaming.pk}") for _ in range(2))
    for page in (one, other):
        expect(page.locator(".streaming .text")).to_have_text("Hel")
    delta(streaming, "lo", 3)
    for page in (one, other):
        expect(page.locator(".streaming .text")).to_have_text("Hello")


def test_stop_ends_the_run_and_says_so(open_page: Open, session: Session) -> None:
    for number in range(60):
        (Path(session.workspace) / f"file{number:02}.py").write_text("x = 1\n")
    page = open_page(f"/sessions/{session.pk}")
    send(page, "tour *.py")
    expect(page.locator(".card").first).to_be_visible(timeout=30_000)
    page.get_by_test_id("cancel").click()
    expect(page.locator(".outcome")).to_have_text("You stopped this run.", timeout=10_000)
    expect(page.get_by_test_id("cancel")).to_be_hidden()


def test_an_untitled_session_gets_its_name(open_page: Open, session: Session) -> None:
    Session.objects.filter(pk=session.pk).update(title="")
    page = open_page(f"/sessions/{session.pk}")
    send(page, "Hello there")
    expect(page.locator("#title")).to_have_text("Hello there", timeout=30_000)
    expect(page).to_have_title("Hello there · Vitrine")


def test_after_signing_out_elsewhere_the_page_says_so(
    open_page: Open, session: Session, problems: list[str]
) -> None:
    page = open_page(f"/sessions/{session.pk}")
    expect(page.locator(".phase")).to_have_text("Idle")
    other = page.context.new_page()
    other.goto(page.url.split("/sessions")[0])
    other.get_by_role("button", name="Sign out").click()
    send(page, "Hello")
    expect(page.locator("#trouble")).to_contain_text("signed out")
    expect(page.get_by_test_id("composer")).to_have_value("Hello")
    refused = [text for text in problems if "401" in text or "403" in text]
    assert refused == problems != []
    problems.clear()


def test_who_reads_above_is_not_moved_by_what_arrives(open_page: Open, streaming: Session) -> None:
    for number in range(40):
        say(streaming, "user", f"text {number}")
    page = open_page(f"/sessions/{streaming.pk}")
    expect(page.get_by_text("text 39", exact=True)).to_be_in_viewport()
    page.evaluate("document.querySelector('#scroll').scrollTop = 100")
    expect(page.locator("#down")).to_be_visible()
    saved(streaming, "Hello **you**")
    expect(page.locator(".markdown strong")).to_have_text("you")
    assert page.evaluate("document.querySelector('#scroll').scrollTop") == 100


def test_a_page_that_stays_open_for_long_stays_small(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    expect(page.locator(".phase")).to_have_text("Idle")
    rows = [Message(session=session, role="user", content=f"text {n}") for n in range(420)]
    Message.objects.bulk_create(rows)
    tell(session, "notice", code="n", message="Imported.")
    expect(page.get_by_text("text 419", exact=True)).to_be_in_viewport(timeout=20_000)
    assert page.get_by_test_id("message").count() <= 400
    page.get_by_role("link", name="Earlier messages").click()
    first = page.get_by_test_id("message").first
    expect(first).not_to_contain_text("text 220")
    shown = [text.splitlines()[0] for text in page.get_by_test_id("message").all_inner_texts()]
    assert shown == [f"text {n}" for n in range(420 - len(shown), 420)]
