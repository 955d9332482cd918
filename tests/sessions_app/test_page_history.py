import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from compaction_app.models import SessionCompactionEvent
from sessions_app.models import RequestLog, Session
from sessions_app.page.history import CHARTED, HEIGHT, TOP, Chart, chart, logged
from tests.sessions_app.page_rows import push, requested

pytestmark = pytest.mark.django_db
PARTS = [
    ["persona", "Persona", 300, "1"],
    ["memories", "Memory", 100, "2"],
    ["current_date", "Date", 50, "3"],
    ["tools", "", 350, "4"],
    ["context_notes", "Notes", 200, "5"],
]


def sent(session: Session, estimated: int = 4_000, **fields: Any) -> RequestLog:
    values = {"parts": PARTS, "first_message_id": 1, "last_message_id": 2, **fields}
    return requested(session, estimated=estimated, **values)


def shown(session: Session, line: int | None = 8_000) -> Chart:
    return chart(session, logged(session), line=line)


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


def test_a_bar_is_stacked_by_kind_and_adds_up(session: Session) -> None:
    sent(session)
    (bar,) = shown(session).bars
    assert bar.kinds == {
        "prompt": 350,
        "tools": 350,
        "memory": 100,
        "messages": 3_000,
        "notes": 200,
    }
    assert sum(bar.kinds.values()) == bar.log.estimated


def test_a_bar_tells_its_numbers(session: Session) -> None:
    row = sent(session, 1_000)
    assert shown(session).bars[0].title == (
        f"#{row.pk} · estimated 1,000 · measured – · System prompt 350 · Tool definitions 350 · "
        "Long-term memory 100 · Notes to the model 200"
    )


def test_a_bar_speaks_the_pages_language(session: Session) -> None:
    sent(session)
    with override("zh-hans"):
        title = shown(session).bars[0].title
    assert "估算 4,000" in title
    assert "系统提示 350 · 工具定义 350" in title


def test_boxes_stand_on_each_other_from_the_ground(session: Session) -> None:
    sent(session)
    ends = {}
    for kind, path in shown(session, line=None).paths:
        (box,) = re.findall(r"M[\d.]+ ([\d.]+)h[\d.]+v([\d.]+)h-[\d.]+z", path)
        ends[kind] = (float(box[0]), round(float(box[0]) + float(box[1]), 1))
    assert ends["prompt"][1] == TOP + HEIGHT
    assert [ends["tools"][1], ends["memory"][1]] == [ends["prompt"][0], ends["tools"][0]]


def test_the_line_is_drawn_unless_it_is_far_above(session: Session) -> None:
    sent(session, 4_000, actual=5_000)
    near, far, unknown = shown(session), shown(session, line=90_000), shown(session, line=None)
    assert (near.caption, near.line_y is not None) == ("compaction line 8.0k", True)
    assert (far.caption, far.line_y) == ("line at 90.0k, far above", None)
    assert (unknown.caption, unknown.line_y) == ("", None)


def test_measured_requests_have_a_tick(session: Session) -> None:
    sent(session, actual=5_000)
    sent(session)
    assert len(re.findall("M", shown(session).measured)) == 1


def test_summary_requests_are_no_bars(session: Session) -> None:
    sent(session, kind=RequestLog.Kind.SUMMARY)
    row = sent(session)
    assert [bar.log for bar in shown(session).bars] == [row]


def test_compactions_stand_between_the_requests(session: Session) -> None:
    start = timezone.now() - timedelta(minutes=10)
    for minute in (0, 4):
        row = sent(session)
        RequestLog.objects.filter(pk=row.pk).update(created_at=start + timedelta(minutes=minute))
    for outcome, minute in (("compacted", 2), ("failed", 3), ("compacted", 6), ("compacted", -1)):
        event = SessionCompactionEvent.objects.create(
            session=session, trigger_mode="manual", outcome=outcome
        )
        SessionCompactionEvent.objects.filter(pk=event.pk).update(
            created_at=start + timedelta(minutes=minute)
        )
    found = shown(session)
    end = found.bars[1].x + found.bars[1].width
    assert [(mark.x, mark.trigger) for mark in found.marks] == [
        (found.bars[1].x, "by hand"),
        (end, "by hand"),
    ]


def test_it_is_bounded_and_leads_to_older_ones(page: Client, session: Session) -> None:
    rows = [sent(session) for _ in range(CHARTED + 3)]
    push(session)
    html = page.get(f"/sessions/{session.pk}").content.decode()
    assert html.count("<title id=") == CHARTED
    assert f'href="/sessions/{session.pk}/requests?before={rows[3].pk}"' in html
    older = page.get(f"/sessions/{session.pk}/requests?before={rows[3].pk}").content.decode()
    assert older.count("<title id=") == 3


def test_a_bar_leads_to_its_request_and_a_table_stands_behind(
    page: Client, session: Session
) -> None:
    row = sent(session, actual=3_990)
    html = " ".join(page.get(f"/sessions/{session.pk}").content.decode().split())
    assert f'<a href="/sessions/{session.pk}/requests/{row.pk}" aria-labelledby="bar-' in html
    behind = re.search(r'<details class="behind">.*?</details>', html)
    assert behind
    assert f'<th scope="row">#{row.pk}</th><td>4,000</td><td>3,990</td>' in behind[0]


def test_nothing_is_charted_before_the_first_request(page: Client, session: Session) -> None:
    html = page.get(f"/sessions/{session.pk}").content.decode()
    assert "history-chart" not in html
    assert "After the first request a chart shows here" in html


def test_the_list_of_requests_has_constant_queries(
    page: Client, session: Session, make_session: Callable[..., Session]
) -> None:
    other = make_session()
    for target, number in ((session, 2), (other, 70)):
        for _ in range(number):
            sent(target)
    page.get(f"/sessions/{session.pk}/requests")
    counts = []
    for target in (session, other):
        with CaptureQueriesContext(connection) as queries:
            html = page.get(f"/sessions/{target.pk}/requests").content.decode()
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8
    assert len(html.encode()) <= 300_000
    assert len(re.findall("<[a-z]", html)) <= 3_000
