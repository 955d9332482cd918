import itertools
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory_app.models import MemoryItem
from sessions_app import claims, stream
from sessions_app.models import Session
from sessions_app.stream import NewFrame
from tests.sessions_app.page_rows import answer, ask, call, push, requested, say

PARTS = [["persona", "Persona", 300, "1"], ["memories", "M", 100, "2"], ["tools", "", 350, "3"]]
MESSAGE = re.compile(r'data-testid="message" data-role="(\w+)" data-message-id="(\d+)"')


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


def shown(page: Client, session: Session, query: str = "") -> str:
    """The page's HTML, any white space as one space."""
    response = page.get(f"/sessions/{session.pk}{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def messages(html: str) -> list[tuple[str, int]]:
    return [(role, int(id_)) for role, id_ in MESSAGE.findall(html)]


def test_it_is_for_its_owner_alone(session: Session, stranger: User, client: Client) -> None:
    address = f"/sessions/{session.pk}"
    assert client.get(address).headers["location"] == f"/accounts/login/?next={address}"
    client.force_login(stranger)
    for place, status, words in [
        (address, 403, "someone else"),
        ("/sessions/9999", 404, "deleted"),
    ]:
        response = client.get(place)
        assert (response.status_code, words in response.content.decode()) == (status, True)


def test_it_says_which_request_was_measured(page: Client, session: Session) -> None:
    row = requested(session, actual=3_900)
    push(session, requestId=row.pk)
    address = f"/sessions/{session.pk}/requests/{row.pk}"
    link = f'Last measured request: <a href="{address}">#{row.pk}</a>'
    assert f"{link} </p>" in shown(page, session)
    push(session, requestId=None)
    assert f"{link} · changed since then" in shown(page, session)


def test_it_shows_the_conversation_without_scripts(page: Client, session: Session) -> None:
    question = ask(session, "Where are the retries?")
    reply = say(session, "assistant", "In `retry.py`.", tool_calls=[call("c1", path="a.py")])
    result = answer(session, "c1", {"content": "one\ntwo"}, metadata={"durationMs": 14})
    html = shown(page, session)
    assert messages(html) == [("user", question.pk), ("assistant", reply.pk), ("tool", result.pk)]
    assert "Where are the retries?" in html
    assert "<p>In <code>retry.py</code>.</p>" in html
    assert '<pre class="result" tabindex="0">one two</pre>' in html


def test_the_newest_fifty_come_first_and_earlier_ones_by_pages(
    page: Client, session: Session
) -> None:
    ids = [say(session, "user", f"text {number}").pk for number in range(120)]
    newest = shown(page, session)
    assert [id_ for _, id_ in messages(newest)] == ids[70:]
    assert f'href="?before={ids[70]}"' in newest
    earlier = shown(page, session, f"?before={ids[70]}")
    assert [id_ for _, id_ in messages(earlier)] == ids[20:70]
    first = shown(page, session, f"?before={ids[20]}")
    assert [id_ for _, id_ in messages(first)] == ids[:20]


def test_a_result_whose_call_is_on_an_earlier_page_keeps_its_arguments(
    page: Client, session: Session
) -> None:
    calls = [call(f"c{number}", path=f"file{number}.py") for number in range(60)]
    say(session, "assistant", tool_calls=calls)
    for number in range(60):
        answer(session, f"c{number}")
    html = shown(page, session)
    assert re.findall(r'class="line">(file\d+\.py)<', html) == [
        f"file{n}.py" for n in range(10, 60)
    ]


def test_a_run_that_ended_badly_says_so(page: Client, session: Session) -> None:
    ask(session, phase="FAILED", error="The key is not valid.")
    html = shown(page, session)
    assert "<b>The run failed.</b> The key is not valid." in html


def test_a_live_run_has_its_round_and_a_running_card(page: Client, session: Session) -> None:
    ask(session)
    say(session, "assistant", tool_calls=[call("c1", path="a.py")])
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    Session.objects.filter(pk=session.pk).update(phase="RUNNING")
    html = shown(page, session)
    assert "Running · round 2" in html
    assert '<details class="card running" data-call-id="c1" >' in html


def test_rounds_are_counted_within_the_run(page: Client, session: Session) -> None:
    for number in range(40):
        ask(session, execution_id=f"e{number}")
        for _ in range(3):
            say(session, "assistant", "x", execution_id=f"e{number}")
    for query in ("", f"?before={session.messages.all()[90].pk}"):
        numbers = re.findall(r"Agent · round (\d+)", shown(page, session, query))
        assert set(itertools.pairwise(numbers)) == {("1", "2"), ("2", "3"), ("3", "1")}


def test_notices_and_retries_stay_visible(page: Client, session: Session) -> None:
    ask(session)
    retry = {"reason": "rate limit", "attempt": 1, "maxRetries": 3, "delaySeconds": 2.0}
    frames = [
        NewFrame("notice", {"code": "memories_not_loaded", "message": "No memories."}),
        NewFrame("llm_retry", retry),
    ]
    stream.append(session.pk, frames, execution_id="e1")
    html = shown(page, session)
    assert "No memories." in html
    assert "The model request failed (rate limit); attempt 1 of 3 follows after 2 s." in html


def test_a_cut_result_has_its_badge_and_the_way_to_everything(
    page: Client, session: Session
) -> None:
    cut = {"content": "x", "original_characters": 731_204}
    result = answer(session, "c1", cut, metadata={"resultTruncated": True})
    html = shown(page, session)
    badge = '<span class="badge cut" data-testid="result-truncated-badge">'
    assert f"{badge} output truncated · 731,204 characters </span>" in html
    assert f'href="/v1/sessions/{session.pk}/messages/{result.pk}/output"' in html


def test_the_inspector_lists_each_section_with_its_share(page: Client, session: Session) -> None:
    push(session)
    requested(session, actual=3_960)
    html = shown(page, session)
    rows = re.findall(r'"context-section" data-key="(\w+)" data-tokens="(\d+)"', html)
    assert rows == [
        ("persona", "300"),
        ("memories", "100"),
        ("environment", "200"),
        ("tools", "350"),
        ("messages", "3000"),
        ("context_notes", "50"),
    ]
    assert "of 10.0k tokens · 4.0k to the line" in html
    assert "Parts 4,000 + unattributed 0 = 4,000 <b>✓ adds up</b>" in html
    assert re.findall(r'<dd class="figures"> (\S+) </dd>', html) == ["4,000", "3,960", "+1.0%"]
    assert "Floor 1,000: what no compaction can remove." in html
    assert 'data-testid="water-level" data-tokens="4000" data-window="10000"' in html


def test_memory_chips_are_the_owners_own(
    page: Client, session: Session, owner: User, stranger: User
) -> None:
    mine = MemoryItem.objects.create(owner=owner, content="Never push.", dedup_hash="1")
    foreign = MemoryItem.objects.create(owner=stranger, content="secret", dedup_hash="2")
    push(session, memoryIds=[mine.pk, foreign.pk])
    html = shown(page, session)
    assert f'data-memory-id="{mine.pk}" title="Never push."> Never push. <' in html
    assert f"#{foreign.pk}, deleted since" in html
    assert "secret" not in html


def test_the_switch_says_what_it_holds_back(page: Client, session: Session, owner: User) -> None:
    MemoryItem.objects.create(owner=owner, content="Never push.", dedup_hash="1")
    Session.objects.filter(pk=session.pk).update(memory_injection_disabled=True)
    html = shown(page, session)
    assert "1 held back by the switch" in html
    assert 'data-testid="memory-injection-toggle" autocomplete="off" >' in html


@pytest.mark.parametrize(("count", "size"), [(60, 60_000), (50, 19_000)])
def test_the_first_page_is_small_whatever_is_in_it(
    page: Client, session: Session, count: int, size: int
) -> None:
    for number in range(count):
        say(session, "assistant", "- <b>&\n" * (size // 8), tool_calls=[call(f"c{number}")])
    for _ in range(70):
        requested(session, actual=3_900, parts=PARTS, first_message_id=1, last_message_id=2)
    push(session, memoryIds=list(range(40)))
    html = page.get(f"/sessions/{session.pk}").content.decode()
    assert len(html.encode()) <= 300_000
    assert len(re.findall("<[a-z]", html)) <= 3_000
    assert messages(" ".join(html.split())) != []


def test_its_queries_do_not_grow(page: Client, make_session: Callable[[], Session]) -> None:
    few, many = make_session(), make_session()
    for session, rounds in ((few, 20), (many, 60)):
        for number in range(rounds):
            ask(session, execution_id=f"e{number}")
            say(session, "assistant", execution_id=f"e{number}", tool_calls=[call("c")])
            answer(session, "c", execution_id=f"e{number}")
        push(session, memoryIds=list(range(rounds)))
        requested(session)
    page.get(f"/sessions/{few.pk}")
    counts = []
    for session in (few, many):
        with CaptureQueriesContext(connection) as queries:
            shown(page, session)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_it_is_kept_out_of_caches(page: Client, session: Session) -> None:
    headers = page.get(f"/sessions/{session.pk}").headers
    assert headers["Cache-Control"] == "no-store, private"
    assert "script-src 'self'" in headers["Content-Security-Policy"]


def test_no_script_or_style_is_inline(page: Client, session: Session) -> None:
    push(session)
    say(session, "assistant", "|a|\n|-:|\n|1|")
    html = shown(page, session)
    assert re.findall(r"<script(?![^>]*\b(?:src=|type=\"application/json\"))", html) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", html) == []


def test_it_speaks_chinese(page: Client, session: Session) -> None:
    push(session)
    page.cookies["django_language"] = "zh-hans"
    html = shown(page, session)
    assert '<html lang="zh-hans">' in html
    for wording in ("上下文", "本会话注入", "将于下次任务开始时生效", "估算"):
        assert wording in html


def test_whole_messages_are_one_click_away(page: Client, session: Session) -> None:
    message = say(session, "user", "x" * 20_000)
    address = f"/sessions/{session.pk}/messages/{message.pk}/fragment"
    assert f'href="{address}"> Show all 20,000 characters <' in shown(page, session)
    assert "x" * 20_000 in page.get(address).content.decode()
    assert page.get(f"/sessions/{session.pk}/messages/999999/fragment").status_code == 404
