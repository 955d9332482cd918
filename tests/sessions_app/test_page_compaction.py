import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from compaction_app.models import SessionCompactionReport
from sessions_app import claims, stream
from sessions_app.models import Message, Session
from sessions_app.page.compaction import LISTED
from sessions_app.stream import NewFrame
from tests.sessions_app.compaction_rows import compacted, tried
from tests.sessions_app.page_rows import push, say


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def rows(session: Session) -> list[Message]:
    return [say(session, "user", f"text {number}") for number in range(8)]


def html(page: Client, session: Session, address: str = "") -> str:
    """What is answered, any white space as one space."""
    response = page.get(f"/sessions/{session.pk}{address}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def update(page: Client, session: Session, after: int = 0, boundary: int = 0) -> Any:
    return page.get(f"/sessions/{session.pk}/parts?after={after}&boundary={boundary}").json()


def texts(text: str) -> list[str]:
    return re.findall(r'<div class="bubble">(text \d+)</div>', text)


def test_compacted_messages_are_folded_above_a_divider(
    page: Client, session: Session, rows: list[Message]
) -> None:
    event = compacted(session, rows[4])
    shown = html(page, session)
    assert texts(shown) == ["text 5", "text 6", "text 7"]
    assert "5 compacted messages — still readable" in shown
    assert 'data-testid="compaction-marker" data-trigger-mode="manual"' in shown
    assert "Compacted by hand · saved 6.5k tokens" in shown
    assert "(9.0k → 2.5k)" in shown
    assert f'href="/sessions/{session.pk}/compactions/{event}"' in shown


def test_each_compaction_has_its_own_fold(
    page: Client, session: Session, rows: list[Message]
) -> None:
    compacted(session, rows[1])
    compacted(session, rows[4], "mid_loop")
    spans = re.findall(r"folded\?after=(\d+)&before=(\d+)", html(page, session))
    folded = [texts(html(page, session, f"/folded?after={a}&before={b}")) for a, b in spans]
    assert folded == [["text 0", "text 1"], ["text 2", "text 3", "text 4"]]


def test_a_long_fold_comes_by_pages(page: Client, session: Session) -> None:
    many = [say(session, "user", f"text {number}") for number in range(70)]
    compacted(session, many[-2])
    last = html(page, session, f"/folded?after=0&before={many[-1].pk}")
    assert texts(last) == [f"text {n}" for n in range(19, 69)]
    assert f"/folded?after=0&before={many[19].pk}" in last
    first = html(page, session, f"/folded?after=0&before={many[19].pk}")
    assert (texts(first), "data-more" in first) == ([f"text {n}" for n in range(19)], False)


def test_one_that_was_taken_back_has_no_divider(
    page: Client, session: Session, rows: list[Message]
) -> None:
    compacted(session, rows[4])
    tried(session, "undone")
    shown = html(page, session)
    assert (len(texts(shown)), "compaction-marker" in shown) == (8, False)
    assert "Taken back: compacted by hand." in shown
    assert "taken back since" in shown


def test_a_failed_one_is_a_quiet_line_where_it_happened(
    page: Client, session: Session, rows: list[Message]
) -> None:
    tried(session, "failed", "mid_loop", error="no <credit>")
    say(session, "user", "text 8")
    shown = html(page, session)
    line = "Compacting automatically between rounds failed; nothing was changed. no &lt;credit"
    assert shown.index("text 7<") < shown.index(line) < shown.index("text 8<")


def test_an_open_page_learns_what_was_folded(
    page: Client, session: Session, rows: list[Message]
) -> None:
    compacted(session, rows[4])
    told = update(page, session, after=rows[7].pk)
    assert (told["boundary"], told["messages"], told["afresh"]) == (rows[4].pk, "", False)
    assert texts(update(page, session)["messages"]) == ["text 5", "text 6", "text 7"]
    folds = " ".join(told["folds"].split())
    assert folds in html(page, session)


def test_an_open_page_gets_all_afresh_after_an_undo(
    page: Client, session: Session, rows: list[Message]
) -> None:
    compacted(session, rows[4])
    tried(session, "undone")
    told = update(page, session, after=rows[7].pk, boundary=rows[4].pk)
    assert (told["afresh"], told["boundary"], told["folds"].strip()) == (True, 0, "")
    assert len(texts(told["messages"])) == 8


def test_earlier_messages_end_at_the_boundary(page: Client, session: Session) -> None:
    many = [say(session, "user", f"text {number}") for number in range(70)]
    compacted(session, many[9])
    assert f'href="?before={many[20].pk}"' in html(page, session)
    earlier = page.get(f"/sessions/{session.pk}/earlier?before={many[20].pk}").json()
    assert texts(earlier["messages"]) == [f"text {n}" for n in range(10, 20)]
    assert earlier["first"] is None


def test_without_scripts_compacted_messages_have_their_page(
    page: Client, session: Session, rows: list[Message]
) -> None:
    compacted(session, rows[1])
    compacted(session, rows[4])
    shown = html(page, session, f"?before={rows[4].pk + 1}")
    assert texts(shown) == [f"text {n}" for n in range(5)]
    assert shown.count('data-testid="compaction-marker"') == 2
    assert "These messages are compacted" in shown


def test_a_summary_is_shown_as_the_model_reads_it(
    page: Client, session: Session, rows: list[Message]
) -> None:
    text = "# Goals\nFiles touched: agent/__init__.py\n\n<script>alert(1)</script>"
    event = compacted(session, rows[4], summary_text=text)
    part = html(page, session, f"/compactions/{event}?part")
    assert '<pre class="plain summary"' in part
    assert "># Goals Files touched: agent/__init__.py &lt;script&gt;" in part
    assert "stands for 5 messages · 120 tok · rehearsal" in part
    assert part in html(page, session, f"/compactions/{event}")


def test_an_extract_says_that_no_model_made_it(
    page: Client, session: Session, rows: list[Message]
) -> None:
    event = compacted(session, rows[4], "overflow", compact_model="")
    assert "extract, without a model" in html(page, session, f"/compactions/{event}?part")


def test_another_sessions_summary_is_not_found(
    page: Client, session: Session, make_session: Any
) -> None:
    other = make_session()
    event = compacted(other, say(other, "user", "x"))
    assert page.get(f"/sessions/{session.pk}/compactions/{event}").status_code == 404


def test_the_history_comes_by_pages(page: Client, session: Session) -> None:
    ids = [tried(session, "failed", error="x") for _ in range(LISTED + 3)][::-1]
    first = re.findall(r'data-event-id="(\d+)"', html(page, session))
    more = html(page, session, f"/compactions?before={ids[LISTED - 1]}")
    assert [int(one) for one in first] == ids[:LISTED]
    assert [int(one) for one in re.findall(r'data-event-id="(\d+)"', more)] == ids[LISTED:]
    assert "Earlier compactions" not in more


def test_the_report_counts_and_names_the_last_error(page: Client, session: Session) -> None:
    act = {"trigger": "tool", "outcome": "failed", "beforeTokens": 9_000, "afterTokens": None}
    SessionCompactionReport.objects.create(
        session=session,
        tool_calls=3,
        intents=2,
        acts=2,
        ok=1,
        errors=1,
        last_act={**act, "durationMs": 1_500},
        last_error={"code": "model_error", "message": "no <credit>", "stack": "a.py:1"},
    )
    shown = html(page, session)
    for words in (
        "3 calls, 2 scheduled",
        "2: 1 succeeded, 1 failed",
        "Failed · at the agent&#x27;s request",
        "9,000 → – · 1.5 s",
        "<code>model_error</code> no &lt;credit&gt;",
    ):
        assert words in shown


def test_one_of_a_thing_is_told_as_one(page: Client, session: Session) -> None:
    SessionCompactionReport.objects.create(session=session, tool_calls=1, intents=1)
    assert "1 call, 1 scheduled" in html(page, session)


def test_a_click_during_an_automatic_compaction_is_told_at_once(
    page: Client, session: Session
) -> None:
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    start = {"triggerMode": "mid_loop", "messageCount": 4, "estimatedTokens": 9_000}
    with transaction.atomic():
        stream.append(session.pk, [NewFrame("compaction_start", start)], execution_id="e1")
    queued = "Queued: will be done after the current tool round"
    assert queued not in html(page, session)
    page.post(f"/sessions/{session.pk}/compact", {})
    shown = html(page, session)
    assert "Compacting automatically between rounds · 4 messages" in shown
    assert queued in shown


def test_a_queued_click_and_a_run_are_told_apart(page: Client, session: Session) -> None:
    push(session)
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    Session.objects.filter(pk=session.pk).update(phase="RUNNING")
    assert "it will be done after the current tool round." in html(page, session)
    page.post(f"/sessions/{session.pk}/compact", {"tier": "light", "instructions": ""})
    assert "Queued: will be done after the current tool round" in html(page, session)


@pytest.mark.parametrize(
    ("form", "status", "words"),
    [
        ({"tier": "huge"}, 400, "huge"),
        ({"instructions": "x" * 2_001}, 400, "2000"),
    ],
)
def test_a_bad_form_is_refused_with_the_reason(
    page: Client, session: Session, form: dict[str, str], status: int, words: str
) -> None:
    answer = page.post(f"/sessions/{session.pk}/compact", form)
    assert (answer.status_code, words in answer.content.decode()) == (status, True)


def test_an_undo_without_a_compaction_is_refused(page: Client, session: Session) -> None:
    answer = page.post(f"/sessions/{session.pk}/undo")
    assert answer.status_code == 409
    assert "There is no compaction to undo." in answer.content.decode()


def test_stop_asks_the_execution(page: Client, session: Session) -> None:
    claims.take(session_id=session.pk, execution_id="m1", kind="compaction")
    assert "Compacting by hand" in html(page, session)
    page.post(f"/sessions/{session.pk}/stop")
    live = claims.current(session.pk)
    assert live
    assert live.cancel_requested


@pytest.mark.parametrize("address", ["folded", "folded?after=0", "compactions?before=x"])
def test_a_wrong_place_is_named(page: Client, session: Session, address: str) -> None:
    answer = page.get(f"/sessions/{session.pk}/{address}")
    assert (answer.status_code, b"must be" in answer.content) == (400, True)


def test_many_compactions_leave_the_first_page_small(page: Client, session: Session) -> None:
    for number in range(60):
        row = say(session, "user", f"text {number}")
        compacted(session, row, summary_text="word " * 5_000)
        tried(session, "failed", error="x" * 5_000)
    for _ in range(50):
        say(session, "assistant", "- <b>&\n" * 2_000)
    shown = page.get(f"/sessions/{session.pk}").content.decode()
    assert len(shown.encode()) <= 300_000
    assert shown.count("<") / 2 <= 3_000
