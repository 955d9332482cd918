"""The shared case of markup in every place of the page."""

import json
from pathlib import Path

import pytest
from django.db import transaction
from playwright.sync_api import Page, expect

from memory_app.models import MemoryItem
from sessions_app import stream
from sessions_app.models import ModelProfile, Run, Session
from sessions_app.shapes import message_shape
from sessions_app.stream import NewFrame
from sessions_app.visible import visible
from tests.browser.conftest import Open
from tests.sessions_app.page_rows import ask, push, requested, say

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CASE = json.loads((Path(__file__).parents[1] / "cases" / "C36a_xss.json").read_text())
PAYLOADS: list[str] = CASE["input"]["payloads"]
TOUCH = """() => document.querySelectorAll("*").forEach((one) => {
  one.dispatchEvent(new MouseEvent("mouseover"));
})"""


def harmless(page: Page) -> None:
    """Nothing ran, even when everything was touched; requests elsewhere fail in `problems`."""
    page.evaluate(TOUCH)
    assert page.evaluate("window.__x") is None


def shown(page: Page) -> str:
    return str(page.evaluate("document.body.textContent + document.title"))


def fill(session: Session, text: str) -> None:
    """Put the text into every place of the session's page."""
    ModelProfile.objects.filter(name="rehearsal").update(name=text)
    Session.objects.filter(pk=session.pk).update(title=text, project_key=text)
    item = MemoryItem.objects.create(owner=session.owner, content=text, dedup_hash="1")
    section = {"key": "persona", "label": text, "tokens": 4_000}
    push(session, sections=[section], tools={"tokens": 0, "count": 0}, memoryIds=[item.pk])
    requested(session, stop_reason=text[:50], error=text)
    calls = [{"id": "c1", "name": text, "arguments": text}, {"id": "c2", "name": text}]
    calls[1]["arguments"] = json.dumps({"a": text, text: "b\n"})
    ask(session, text, phase="FAILED", error=text)
    thinking = [{"text": text, "signature": "", "redacted": ""}]
    say(session, "assistant", text, tool_calls=calls, metadata={"thinking": thinking})
    result = json.dumps({text: text, "content": f"{text}\n", "more": [text]})
    fields = {"tool_call_id": "c1", "tool_name": text, "metadata": {"resultTruncated": True}}
    say(session, "tool", result, **fields)


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_markup_is_text_in_every_place(open_page: Open, session: Session, payload: str) -> None:
    fill(session, payload)
    page = open_page(f"/sessions/{session.pk}")
    expect(page.locator(".outcome")).to_be_visible()
    harmless(page)
    assert shown(page).count(visible(payload)) >= 15
    page.goto(page.url.split("/sessions")[0])
    harmless(page)
    assert visible(payload) in shown(page)


def test_markup_that_arrives_live_is_text_too(open_page: Open, session: Session) -> None:
    page = open_page(f"/sessions/{session.pk}")
    expect(page.locator(".phase")).to_have_text("Idle")
    for payload in PAYLOADS:
        _arrive(session, payload)
        expect(page.locator(".incident").last).to_have_text(visible(payload).strip())
        harmless(page)
    expect(page.locator("article.assistant")).to_have_count(len(PAYLOADS))


@transaction.atomic
def _arrive(session: Session, text: str) -> None:
    """An answer, a new title, an error and a notice, in a run of their own."""
    execution = f"e{Run.objects.count()}"
    ask(session, text, execution_id=execution, phase="FAILED", error=text)
    row = say(session, "assistant", text, execution_id=execution)
    Session.objects.filter(pk=session.pk).update(title=text)
    saved = {"messageId": row.pk, "requestId": 1, "message": message_shape(row)}
    frames = [
        NewFrame("assistant_message_saved", saved),
        NewFrame("notice", {"code": "n", "message": text}),
        NewFrame("session_status", {"phase": "FAILED", "error": text}),
    ]
    stream.append(session.pk, frames, execution_id=execution)
