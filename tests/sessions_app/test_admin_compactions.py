from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from sessions_app.models import Session
from tests.sessions_app.compacting import HANDOFF
from tests.sessions_app.rest import signed_in
from tests.sessions_app.running import compact
from tests.wire.fixture import Wire


def shown(staff: User, table: str, query: str = "") -> str:
    path = reverse(f"admin:compaction_app_sessioncompaction{table}_changelist")
    text: str = signed_in(staff).get(f"{path}{query}").content.decode()
    return text


def made(session: Session, **fields: Any) -> None:
    session.compaction_events.create(**{"trigger_mode": "manual", "outcome": "failed"} | fields)


def test_an_event_shows_sizes_and_cost(staff: User, session: Session) -> None:
    made(session, before_tokens=16_000, after_tokens=4_000, prompt_tokens=9_000, cached_tokens=0)
    page = shown(staff, "event")
    assert "16,000 \u2192 4,000" in page
    assert "9,000 (0) + -" in page
    assert f'<a href="/admin/sessions_app/session/{session.pk}/change/">' in page


def test_an_event_is_found_by_its_error(staff: User, session: Session) -> None:
    made(session, error="the window is full", compact_model="m-full")
    made(session, error="no answer", compact_model="m-none")
    page = shown(staff, "event", "?q=window")
    assert ("m-full" in page, "m-none" in page) == (True, False)


@pytest.mark.usefixtures("runs_end")
def test_a_report_shows_the_last_act_and_the_last_error(
    staff: User, talked: Session, wire: Wire
) -> None:
    wire.script(*[{"when": "<handoff>", "text": "Sure!"}] * 2, HANDOFF)
    compact(talked)
    compact(talked)
    page = shown(staff, "report")
    assert "Compacted (by hand)" in page
    assert "model_output_invalid: it holds 0 complete handoff blocks instead of one" in page
