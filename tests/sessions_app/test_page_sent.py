import hashlib
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sessions_app import request_parts
from sessions_app.models import RequestLog, Session
from sessions_app.page.line_diff import DiffLine
from sessions_app.page.sent import PREVIEW_CHARS, sent
from tests.sessions_app.page_rows import requested, say

pytestmark = pytest.mark.django_db


def log(session: Session, messages: tuple[int, int] | None = None, /, **texts: str) -> RequestLog:
    """Log a request whose parts have these texts, a token for each character."""
    rows = []
    for key, text in texts.items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        request_parts.store({digest: text}, known=set())
        rows.append([key, key.title(), len(text), digest])
    estimated = sum(len(text) for text in texts.values()) + (100 if messages else 0)
    fields: dict[str, Any] = {"parts": rows, "estimated": estimated}
    if messages:
        fields |= {"first_message_id": messages[0], "last_message_id": messages[1]}
    return requested(session, **fields)


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


def opened(page: Client, row: RequestLog) -> str:
    """The page's HTML, any white space as one space."""
    response = page.get(f"/sessions/{row.session_id}/requests/{row.pk}")
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store, private"
    return " ".join(response.content.decode().split())


def test_it_shows_each_part_as_sent(page: Client, session: Session) -> None:
    html = opened(page, log(session, persona="You are <b>kind</b>.", tools="[]"))
    assert '<pre class="result" tabindex="0">You are &lt;b&gt;kind&lt;/b&gt;.</pre>' in html
    assert re.findall(r'data-key="(\w+)" data-change', html) == ["persona", "tools"]
    assert "The first request: there is none before to compare with." in html
    assert "Parts 22 + unattributed 0 = 22" in html


def test_it_says_what_became_of_each_part(session: Session) -> None:
    before = log(session, persona="same", memories="one", skills="x")
    row = log(session, persona="same", memories="two", tools="[]")
    found = sent(session, row)
    assert [(part.key, part.change, part.breaks) for part in found.parts] == [
        ("persona", "same", False),
        ("memories", "changed", True),
        ("skills", "gone", False),
        ("tools", "new", False),
    ]
    assert (found.before, found.stable_tokens, found.broken_by) == (before, 4, "Long-term memory")


def test_a_changed_part_has_a_line_diff(session: Session) -> None:
    log(session, memories="keep\nold\n")
    found = sent(session, log(session, memories="keep\nnew\n"))
    assert found.parts[0].diff == [
        DiffLine(" ", "keep"),
        DiffLine("-", "old"),
        DiffLine("+", "new"),
    ]


def test_between_a_difference_and_the_whole_text_stands_a_heading(
    page: Client, session: Session
) -> None:
    first = log(session, memories="keep\nold\n")
    html = opened(page, log(session, memories="keep\nnew\n"))
    assert html.index("<ins>+ new</ins>") < html.index("<h3>The whole text</h3>")
    assert "<h3>" not in opened(page, first)


def test_a_grown_history_shows_what_came(session: Session) -> None:
    ids = [say(session, "user", f"text {number}", tokens=10).pk for number in range(3)]
    log(session, (ids[0], ids[1]))
    found = sent(session, log(session, (ids[0], ids[2])))
    added = (f"[user #{ids[2]}]", "text 2", "")
    assert found.parts[0].diff == [DiffLine("+", text) for text in added]
    assert (found.stable_tokens, found.broken_by, found.moved) == (20, "Messages", False)


def test_a_moved_boundary_is_said(page: Client, session: Session) -> None:
    ids = [say(session, "user", f"text {number}").pk for number in range(3)]
    log(session, (ids[0], ids[1]))
    row = log(session, (ids[1], ids[2]))
    assert "The history begins at another message than before" in opened(page, row)


def test_a_long_part_is_folded_and_comes_whole_when_asked(page: Client, session: Session) -> None:
    text = "<x> " * 1_000
    row = log(session, persona=text)
    address = f"/sessions/{session.pk}/requests/{row.pk}/parts/persona"
    assert f'href="{address}"> Show all 4,000 characters <' in opened(page, row)
    whole = page.get(address)
    assert whole.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    assert whole.content.decode() == text
    assert page.get(address.replace("persona", "skills")).status_code == 404


def test_its_neighbours_are_one_click_away(page: Client, session: Session) -> None:
    rows = [log(session, persona="x") for _ in range(3)]
    html = opened(page, rows[1])
    assert f'rel="prev" href="/sessions/{session.pk}/requests/{rows[0].pk}"' in html
    assert f'rel="next" href="/sessions/{session.pk}/requests/{rows[2].pk}"' in html
    assert "Nothing differs." in html


def test_a_summary_request_says_what_its_last_message_was(page: Client, session: Session) -> None:
    row = log(session, persona="x")
    RequestLog.objects.filter(pk=row.pk).update(kind="summary", error="No <handoff>")
    html = opened(page, row)
    assert "At the end stood the instruction to write the handoff" in html
    assert '<p class="problem">No &lt;handoff&gt;</p>' in html


def test_a_request_of_another_session_is_not_found(
    page: Client, session: Session, make_session: Any
) -> None:
    row = log(make_session(), persona="secret")
    for place in ("", "/parts/persona"):
        answer = page.get(f"/sessions/{session.pk}/requests/{row.pk}{place}")
        assert answer.status_code == 404


def test_the_page_is_small_whatever_was_sent(page: Client, session: Session) -> None:
    keys = [f"part{number}" for number in range(13)]
    log(session, **{key: f"{key}\n" + "'<\n" * 900 for key in keys})
    row = log(session, **{key: f"{key}\n" + '"&\n' * 900 for key in keys})
    page.get(f"/sessions/{session.pk}/requests/{row.pk}")
    with CaptureQueriesContext(connection) as queries:
        html = opened(page, row)
    assert len(queries) <= 12
    assert len(html.encode()) <= 300_000
    assert len(re.findall("<[a-z]", html)) <= 3_000
    assert all(len(part.text) == PREVIEW_CHARS for part in sent(session, row).parts)


def test_a_part_that_has_no_name_of_ours_keeps_its_own(session: Session) -> None:
    found = sent(session, log(session, persona="x", of_a_plugin="y"))
    assert [part.label for part in found.parts] == ["Persona", "Of_A_Plugin"]
