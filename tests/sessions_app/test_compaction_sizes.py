"""The sizes before and after a compaction count the same things, and are those that pages show."""

from typing import Any

import pytest

from compaction_app.models import SessionCompactionEvent
from sessions_app import compactions
from sessions_app.models import Session
from tests.sessions_app.asking import asks, receipts
from tests.sessions_app.compacting import HANDOFF, read_round
from tests.sessions_app.running import compact, frames, run
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("nobody_speaks_for_the_user")


def pushed_with_the_end(session: Session) -> dict[str, Any]:
    """The `context_window` that went out in the transaction of the last marker."""
    shown = frames(session, "compaction_marker", "context_window")
    at = max(i for i, frame in enumerate(shown) if frame["type"] == "compaction_marker")
    return shown[at + 1]


def sections(frame: dict[str, Any]) -> dict[str, int]:
    return {row["key"]: row["tokens"] for row in frame["manifest"]["sections"]}


def check_sizes(session: Session) -> SessionCompactionEvent:
    """Assert that event, frames and the push agree; the event."""
    event = SessionCompactionEvent.objects.get(session=session)
    window = pushed_with_the_end(session)
    (start,) = frames(session, "compaction_start")
    (end,) = frames(session, "compaction_end")
    assert (event.before_tokens, event.after_tokens) == (
        start["estimatedTokens"],
        window["estimated"],
    )
    assert (
        event.saved_tokens
        == end["savedTokens"]
        == start["estimatedTokens"] - (event.after_tokens or 0)
    )
    assert window["actual"] == 0
    assert sum(sections(window).values()) + window["manifest"]["tools"]["tokens"] == (
        event.after_tokens
    )
    return event


def test_by_hand_the_size_after_it_is_what_the_page_shows(half_full: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    compact(half_full)
    event = check_sizes(half_full)
    half_full.refresh_from_db()
    assert half_full.context_tokens == event.after_tokens


def test_notes_are_in_both_sizes_so_that_they_are_not_counted_as_saved(
    wired: Session, wire: Wire
) -> None:
    for n in range(4):
        read_round(wire, wired, 4_000 + n)
    wire.script(HANDOFF)
    run(wired, "read them all")
    event = check_sizes(wired)
    notes = sections(pushed_with_the_end(wired))["context_notes"]
    assert notes > 100  # of its first run: the brief
    before = frames(wired, "context_window")
    at = before.index(pushed_with_the_end(wired))
    assert sections(before[at - 1])["context_notes"] >= notes
    assert event.trigger_mode == "mid_loop"


def test_the_receipt_tells_the_same_number(half_full: Session, wire: Wire) -> None:
    wire.script(asks(reason="full"), HANDOFF)
    run(half_full, "go on")
    event = check_sizes(half_full)
    (receipt,) = receipts(wire)
    assert f"{event.saved_tokens:,} tokens saved" in receipt


def test_after_an_undo_the_notes_are_counted_too(half_full: Session, wire: Wire) -> None:
    wire.script({"text": "fine"}, HANDOFF)
    run(half_full, "go on")
    compact(half_full)
    compactions.undo(session_id=half_full.pk)
    half_full.refresh_from_db()
    window = frames(half_full, "context_window")[-1]
    assert half_full.context_tokens == window["estimated"]
    assert sections(window)["context_notes"] > 0


def test_a_calibrated_model_has_calibrated_sizes(half_full: Session, wire: Wire) -> None:
    model = half_full.model
    assert model is not None
    model.calibration = 1.5
    model.save(update_fields=["calibration"])
    wire.script(HANDOFF)
    compact(half_full)
    event = SessionCompactionEvent.objects.get()
    half_full.refresh_from_db()
    window = frames(half_full, "context_window")[-1]
    assert half_full.context_tokens == event.after_tokens == round(window["estimated"] * 1.5)
    assert event.saved_tokens == (event.before_tokens or 0) - (event.after_tokens or 0)
