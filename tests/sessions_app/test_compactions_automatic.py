"""Compactions that start by themselves: over the line, after an overflow; and undo."""

import pytest
from pytest_django import Settings

from agent.errors import NothingToUndo, SessionAlreadyRunning
from compaction_app.models import SessionCompaction, SessionCompactionEvent
from sessions_app import claims, compactions, runs
from sessions_app.models import Session
from tests.sessions_app.asking import counters
from tests.sessions_app.compacting import (
    HANDOFF,
    HANGING,
    TOO_LONG,
    read_round,
    texts,
    tried,
    users,
)
from tests.sessions_app.running import (
    compact,
    frames,
    run,
    said,
    types,
    wait_idle,
    wait_until,
    write,
)
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")


def test_mid_loop_over_the_line(wired: Session, wire: Wire, settings: Settings) -> None:
    for n in range(4):
        read_round(wire, wired, 4_000 + n)
    wire.script(HANDOFF)
    run(wired, "read them all")
    assert wired.phase == Session.Phase.COMPLETED
    events = SessionCompactionEvent.objects.all()
    assert [(e.trigger_mode, e.outcome) for e in events] == [("mid_loop", "compacted")]
    assert users(wired) == ["read them all"]
    last = wire.requests()[-1].body
    assert texts(last, "user")[0].startswith("## Session handoff")


def test_request_start_over_the_line(wired: Session, wire: Wire, settings: Settings) -> None:
    settings.COMPACTION_ENABLED = False
    for n in range(3):
        wire.script({"text": f"answer {n} " + "word " * 5_500})
        run(wired, f"wish {n}")
    settings.COMPACTION_ENABLED = True
    wire.script(HANDOFF)
    run(wired, "next")
    events = SessionCompactionEvent.objects.all()
    assert [(e.trigger_mode, e.outcome) for e in events] == [("request_start", "compacted")]
    assert wired.phase == Session.Phase.COMPLETED
    assert "next" in texts(wire.requests()[-1].body, "user")


def test_idle_after_a_run_that_ended_over_the_line(wired: Session, wire: Wire) -> None:
    wire.script({"text": "a " + "word " * 8_000}, {"text": "b " + "word " * 8_500}, HANDOFF)
    run(wired, "one")
    run(wired, "two")
    events = SessionCompactionEvent.objects.all()
    assert [(e.trigger_mode, e.outcome) for e in events] == [("idle", "compacted")]
    order = types(wired)
    saved = len(order) - 1 - order[::-1].index("assistant_message_saved")
    assert saved < order.index("compaction_start") < len(order) - 1
    assert order[-1] == "session_status"
    assert wired.phase == Session.Phase.COMPLETED


def test_a_message_cancels_the_idle_safety_net_and_is_taken(wired: Session, wire: Wire) -> None:
    wire.script({"text": "a " + "word " * 8_000}, {"text": "b " + "word " * 8_500}, HANGING)
    run(wired, "one")
    runs.start(session_id=wired.pk, content="two")
    wait_until(lambda: "compaction_start" in types(wired))
    wire.script(HANDOFF)
    runs.start(session_id=wired.pk, content="three")
    wait_idle(wired)
    assert users(wired) == ["one", "two", "three"]
    assert [end["outcome"] for end in frames(wired, "compaction_end")] == ["cancelled", "compacted"]
    assert [each[:2] for each in tried(wired)] == [
        ("idle", "cancelled"),
        ("request_start", "compacted"),
    ]
    assert counters(wired) == {"acts": 2, "ok": 1}
    phases = [f["phase"] for f in frames(wired, "session_status")]
    assert "CANCELLED" not in phases


def test_a_click_during_the_safety_net_is_queued_and_answered(wired: Session, wire: Wire) -> None:
    wire.script({"text": "a " + "word " * 8_000}, {"text": "b " + "word " * 8_500})
    wire.script({**HANDOFF, "delay": 1})
    run(wired, "one")
    runs.start(session_id=wired.pk, content="two")
    wait_until(lambda: "compaction_start" in types(wired))
    assert compactions.request(session_id=wired.pk).status == "queued"
    wait_idle(wired)
    events = SessionCompactionEvent.objects.order_by("id")
    assert [(e.trigger_mode, e.outcome) for e in events] == [
        ("idle", "compacted"),
        ("manual", "nothing_to_compact"),
    ]
    assert wired.phase == Session.Phase.COMPLETED


def test_overflow_compacts_once_and_tries_once_more(talked: Session, wire: Wire) -> None:
    wire.script({"when": "go on", "status": 400, "body": TOO_LONG}, HANDOFF, {"text": "fine"})
    run(talked, "go on")
    assert said(talked)[-1] == ("assistant", "fine")
    events = SessionCompactionEvent.objects.all()
    assert [(e.trigger_mode, e.outcome) for e in events] == [("overflow", "compacted")]


def test_a_second_overflow_ends_the_run_clearly(talked: Session, wire: Wire) -> None:
    asked = len(wire.requests())
    for _ in range(2):
        wire.script({"when": "go on", "status": 400, "body": TOO_LONG})
    wire.script(HANDOFF)
    run(talked, "go on")
    assert talked.phase == Session.Phase.FAILED
    assert len(wire.requests()) - asked == 3
    assert run(talked, "again").phase == Session.Phase.COMPLETED


def test_switched_off_nothing_is_automatic_and_the_button_works(
    wired: Session, wire: Wire, settings: Settings
) -> None:
    settings.COMPACTION_ENABLED = False
    for n in range(3):
        wire.script({"text": f"answer {n} " + "word " * 5_500})
        run(wired, f"wish {n}")
    assert "compaction_start" not in types(wired)
    wire.script(HANDOFF)
    compact(wired)
    assert frames(wired, "compaction_end")[-1]["outcome"] == "compacted"


def test_a_floor_over_the_line_is_told_once_and_nothing_is_compacted(
    wired: Session, wire: Wire
) -> None:
    write(wired, "AGENTS.md", "\n".join("rule " * 100 for _ in range(165)))
    for n in range(5):
        assert run(wired, f"turn {n}").phase == Session.Phase.COMPLETED
    (notice,) = frames(wired, "notice")
    assert notice["code"] == "floor_over_line"
    assert "16,000" in notice["message"]
    assert "compaction_start" not in types(wired)


def test_undo_restores_boundary_summary_and_count_exactly(talked: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    compact(talked)
    first = SessionCompaction.objects.get()
    for n in range(3):
        wire.script({"text": f"more {n} " + "word " * 300})
        run(talked, f"more {n}")
    wire.script({"when": "<handoff>", "text": "<handoff>Second.</handoff>"})
    compact(talked)
    second = SessionCompaction.objects.get()
    assert second.last_compacted_msg_id > first.last_compacted_msg_id
    restored = compactions.undo(session_id=talked.pk)
    assert restored is not None
    same = ("summary_text", "last_compacted_msg_id", "compact_count", "compact_model")
    assert [getattr(restored, f) for f in same] == [getattr(first, f) for f in same]
    assert compactions.undo(session_id=talked.pk) is None
    with pytest.raises(NothingToUndo):
        compactions.undo(session_id=talked.pk)
    assert types(talked)[-2:] == ["compaction_undone", "context_window"]
    outcomes = [e.outcome for e in SessionCompactionEvent.objects.order_by("id")]
    assert outcomes == ["compacted", "compacted", "undone", "undone"]
    assert claims.current(talked.pk) is None
    assert run(talked, "after").phase == Session.Phase.COMPLETED
    assert "Session handoff" not in str(texts(wire.requests()[-1].body, "user"))


def test_undo_is_refused_while_a_run_is_active(talked: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    compact(talked)
    wire.script({"hang_after": 1})
    runs.start(session_id=talked.pk, content="slow")
    with pytest.raises(SessionAlreadyRunning):
        compactions.undo(session_id=talked.pk)
    runs.cancel(session_id=talked.pk)
    wait_idle(talked)
