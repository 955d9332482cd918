import pytest

from compaction_app.models import SessionCompaction
from sessions_app.models import Session
from sessions_app.shapes import time_text
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import compact, run
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")
SUMMARY = {"when": "<handoff>", "text": "<handoff>First.</handoff>"}


@pytest.fixture
def compacted(talked: Session, wire: Wire) -> Session:
    """A session that was compacted once."""
    wire.script(SUMMARY)
    compact(talked)
    return talked


def test_it_is_the_literal_null_before_the_first(api: Rest, session: Session) -> None:
    answer = api.get(f"/v1/sessions/{session.pk}/compaction")
    assert (answer.status_code, answer.content) == (200, b"null")
    assert answer["Content-Type"] == "application/json"


def test_it_is_the_summary_in_force(api: Rest, compacted: Session) -> None:
    row = SessionCompaction.objects.get()
    assert api.get(f"/v1/sessions/{compacted.pk}/compaction").json() == {
        "summaryText": row.summary_text,
        "lastCompactedMsgId": row.last_compacted_msg_id,
        "compactCount": 1,
        "compactModel": "wire",
        "updatedAt": time_text(row.updated_at),
    }
    assert row.summary_text.startswith("First.")


def test_an_extract_has_no_model(api: Rest, session: Session) -> None:
    SessionCompaction.objects.create(
        session=session, summary_text="x", last_compacted_msg_id=1, compact_count=1
    )
    assert api.get(f"/v1/sessions/{session.pk}/compaction").json()["compactModel"] is None


def test_undo_of_the_only_one_leaves_none(api: Rest, compacted: Session) -> None:
    path = f"/v1/sessions/{compacted.pk}/compaction"
    answer = api.send("POST", f"{path}/undo", {})
    assert (answer.status_code, answer.content) == (200, b"null")
    assert api.get(path).json() is None


def test_undo_gives_what_is_in_force_again(api: Rest, compacted: Session, wire: Wire) -> None:
    path = f"/v1/sessions/{compacted.pk}/compaction"
    first = api.get(path).json()
    for n in range(2):
        run(compacted, f"more {n}")
    wire.script({"when": "<handoff>", "text": "<handoff>Second.</handoff>"})
    compact(compacted)
    assert api.get(path).json()["compactCount"] == 2
    restored = api.send("POST", f"{path}/undo", {}).json()
    assert restored == {**first, "updatedAt": restored["updatedAt"]}
    assert restored == api.get(path).json()


def test_undo_without_a_compaction_says_so(api: Rest, session: Session) -> None:
    answer = api.generic("POST", f"/v1/sessions/{session.pk}/compaction/undo")
    assert (answer.status_code, answer.json()) == (
        409,
        {"code": "nothing_to_undo", "detail": "There is no compaction to undo."},
    )


def test_undo_is_refused_during_a_run(api: Rest, running: Session) -> None:
    answer = api.send("POST", f"/v1/sessions/{running.pk}/compaction/undo", {})
    assert answer.status_code == 409
    assert (answer.json()["code"], answer.json()["executionId"]) == (
        "session_already_running",
        "e1",
    )


def test_undo_takes_no_fields(api: Rest, session: Session) -> None:
    answer = api.send("POST", f"/v1/sessions/{session.pk}/compaction/undo", {"all": True})
    assert answer.status_code == 400
    assert answer.json() == {"all": ["Unknown field; allowed: none."]}
