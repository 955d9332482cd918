import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)
from memory_app.models import MemoryItem
from sessions_app import claims
from sessions_app.models import (
    AgentProfile,
    Claim,
    Frame,
    Message,
    ModelProfile,
    RequestLog,
    Run,
    Session,
)
from tests.sessions_app.admin_pages import OURS, list_page, row_page
from tests.sessions_app.rest import Rest, signed_in


@pytest.fixture
def desk(staff: User) -> Rest:
    """The admin as a superuser sees it."""
    return signed_in(staff)


def test_it_has_a_page_for_every_table_but_frames_and_claims(
    admin_rows: dict[type[Model], Model],
) -> None:
    assert set(OURS) == set(admin_rows)
    assert not admin.site.is_registered(Frame)
    assert not admin.site.is_registered(Claim)


@pytest.mark.parametrize("table", OURS, ids=lambda table: table.__name__)
def test_it_lists_finds_and_shows(
    desk: Rest, admin_rows: dict[type[Model], Model], table: type[Model]
) -> None:
    assert desk.get(list_page(table)).status_code == 200
    for words in ("1", "a", "e1", "99999999999999999999999", "'%"):
        assert desk.get(list_page(table), {"q": words}).status_code == 200
    assert desk.get(row_page(admin_rows[table])).status_code == 200


@pytest.mark.parametrize("table", OURS, ids=lambda table: table.__name__)
def test_it_is_for_staff_only(
    api: Rest, admin_rows: dict[type[Model], Model], table: type[Model]
) -> None:
    for path in (list_page(table), row_page(admin_rows[table])):
        answer = api.get(path)
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/admin/login/")


RECORDS = [
    Message,
    Run,
    RequestLog,
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
    MemoryItem,
]


@pytest.mark.parametrize("table", RECORDS, ids=lambda table: table.__name__)
def test_it_changes_no_record(
    desk: Rest, admin_rows: dict[type[Model], Model], table: type[Model]
) -> None:
    assert desk.post(row_page(admin_rows[table]), {"content": "forged"}).status_code == 403
    assert desk.post(row_page(admin_rows[table], "delete"), {"post": "yes"}).status_code == 403


def _queries(desk: Rest, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert desk.get(path).status_code == 200
    return len(queries)


def test_it_lists_with_the_same_queries_however_many_there_are(
    desk: Rest, admin_rows: dict[type[Model], Model], make_session: Callable[..., Session]
) -> None:
    before = {table: _queries(desk, list_page(table)) for table in OURS}
    for number in range(20):
        session = make_session()
        message = session.messages.create(role="user", content="x")
        session.runs.create(execution_id=str(number), message=message)
        session.requests.create(execution_id="e", estimated=1)
        ModelProfile.objects.create(name=f"m{number}", provider="rehearsal")
        AgentProfile.objects.create(name="p", owner=session.owner)
        MemoryItem.objects.create(owner=session.owner, content="x", dedup_hash=f"x{number}")
        SessionCompaction.objects.create(
            session=session, summary_text="s", last_compacted_msg_id=1, compact_count=1
        )
        SessionCompactionEvent.objects.create(session=session, trigger_mode="m", outcome="o")
        SessionCompactionReport.objects.create(session=session)
    assert {table: _queries(desk, list_page(table)) for table in OURS} == before


def test_it_loads_no_long_session_whole(desk: Rest, session: Session) -> None:
    rows = [Message(session=session, role="user", content=f"text {n}") for n in range(300)]
    Message.objects.bulk_create(rows)
    for path in (row_page(session), row_page(session, "delete")):
        assert b"text 2" not in desk.get(path).content
    assert desk.get(list_page(Message)).content.count(b"text ") == 50
    assert b"text 2" not in desk.get(row_page(session.owner, "delete")).content


def _settings(session: Session, **changes: Any) -> dict[str, Any]:
    form = {
        "title": session.title,
        "model": session.model_id,
        "agent_profile": "",
        "project_key": "",
        "permission_level": session.permission_level,
        "compaction_tier": session.compaction_tier,
    }
    return {**form, **changes}


def test_it_changes_a_sessions_settings_and_nothing_that_a_run_writes(
    desk: Rest, session: Session
) -> None:
    Session.objects.filter(pk=session.pk).update(frame_seq=7)
    profile = AgentProfile.objects.create(name="Reviewer")
    changes = {"title": "New", "agent_profile": profile.pk, "memory_injection_disabled": "on"}
    assert desk.post(row_page(session), _settings(session, **changes)).status_code == 302
    session.refresh_from_db()
    assert (session.title, session.agent_profile) == ("New", profile)
    assert session.frame_seq == 8  # kept, and one more: open pages are told of the switch
    assert session.memory_injection_disabled


def test_it_voids_the_anchor_with_another_model(desk: Rest, session: Session) -> None:
    Session.objects.filter(pk=session.pk).update(anchor_tokens=900)
    other = ModelProfile.objects.create(name="other", provider="rehearsal", window_tokens=9_000)
    desk.post(row_page(session), _settings(session, model=other.pk))
    session.refresh_from_db()
    assert (session.model, session.anchor_tokens, session.window_tokens) == (other, None, 9_000)


def test_it_makes_no_session(desk: Rest) -> None:
    assert desk.post("/admin/sessions_app/session/add/", {"title": "x"}).status_code == 403


def test_it_deletes_a_session(desk: Rest, session: Session) -> None:
    page = desk.get(row_page(session, "delete")).content.decode()
    assert "Messages: 0" in page
    desk.post(row_page(session, "delete"), {"post": "yes"})
    assert not Session.objects.exists()


@pytest.mark.parametrize("of", ["session", "owner"])
def test_it_deletes_nothing_that_runs(desk: Rest, running: Session, of: str) -> None:
    row = running if of == "session" else running.owner
    assert "is running" in desk.get(row_page(row, "delete")).content.decode()
    desk.post(row_page(row, "delete"), {"post": "yes"})
    assert Session.objects.filter(pk=running.pk).exists()


def test_it_deletes_chosen_sessions_unless_one_runs(
    desk: Rest, make_session: Callable[..., Session]
) -> None:
    first, second = make_session(), make_session()
    action = {"action": "delete_selected", "post": "yes", "_selected_action": [first.pk, second.pk]}
    claims.take(session_id=second.pk, execution_id="e1", kind=Claim.Kind.RUN)
    desk.post(list_page(Session), action)
    assert Session.objects.count() == 2
    claims.release(session_id=second.pk, execution_id="e1")
    desk.post(list_page(Session), action)
    assert Session.objects.count() == 0


def _model(**fields: Any) -> dict[str, Any]:
    form = {
        "name": "local",
        "provider": "openai",
        "max_output_tokens": 1_000,
        "tokenizer": "o200k_base",
        "calibration": "1.0",
        "notes_role": "user",
        "enabled": "on",
    }
    return {**form, **fields}


def test_it_marks_the_model_that_new_sessions_get(desk: Rest) -> None:
    ModelProfile.objects.create(name="other", provider="rehearsal", enabled=False, default=True)
    html = desk.get(list_page(ModelProfile)).content.decode()
    row = r'field-name"><a[^>]*>(\w+)<.*?for_new_sessions"><img[^>]*alt="(\w+)"'
    marked = re.findall(row, html)
    assert [name for name, given in marked if given == "True"] == ["rehearsal"]
    offered = desk.get("/v1/models").json()["results"]
    assert [model["name"] for model in offered if model["default"]] == ["rehearsal"]


def test_it_adds_a_model_and_moves_the_default(desk: Rest) -> None:
    ModelProfile.objects.filter(name="rehearsal").update(default=True)
    fields = {"base_url": "http://127.0.0.1:9000/v1", "key_variable": "LOCAL_KEY", "default": "on"}
    assert desk.post(list_page(ModelProfile) + "add/", _model(**fields)).status_code == 302
    assert ModelProfile.objects.get(default=True).name == "local"


@pytest.mark.parametrize(
    "name", ["sk-proj-abc", "openai_api_key", "SECRET_KEY", "A B", "DATABASE_URL"]
)
def test_it_takes_no_key_and_none_of_our_own_secrets(desk: Rest, name: str) -> None:
    answer = desk.post(list_page(ModelProfile) + "add/", _model(key_variable=name))
    assert answer.status_code == 200
    assert "not the name of a key" in answer.content.decode().lower()
    assert not ModelProfile.objects.filter(name="local").exists()
