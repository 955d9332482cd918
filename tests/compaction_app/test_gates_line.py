"""The line and its guards: what starts by itself, how often, and what never does."""

from typing import Any

import pytest

from agent.errors import ModelError
from agent.manifest import PromptPart
from agent.testing import make_builder
from compaction_app.compactor import Compactor
from compaction_app.gates import ManualRequest
from compaction_app.policy import LastAutomatic, Outcome, Trigger
from tests.compaction_app.histories import answer, numbered, user
from tests.compaction_app.stand import HEAVY_CLICK, LINE, LONG, NEAR_LINE, WINDOW, Stand, intending
from tests.compaction_app.stored_records import StoredRecords, make, said, some_rounds


async def test_a_registered_tier_holds_for_automatic_compactions_too() -> None:
    stand = Stand(said("x"), active=LINE)
    await stand.desk.call(action="set-tier", tier="heavy")
    await stand.after_round()
    assert stand.acts() == [(Trigger.MID_LOOP, "heavy", Outcome.COMPACTED)]


@pytest.mark.parametrize(("active", "acts"), [(LINE - 1, 0), (LINE, 1)])
async def test_the_line_is_reached_at_its_very_number(active: int, acts: int) -> None:
    for name in ("at_start", "after_round"):
        stand = Stand(said("x"), active=active)
        await getattr(stand, name)()
        assert len(stand.acts()) == acts


async def test_still_over_the_line_it_compacts_once_more_with_the_smallest_tail_and_no_more() -> (
    None
):
    stand = Stand(LONG, LONG, LONG, fixed=NEAR_LINE, messages=some_rounds(20))
    await stand.at_start()
    assert [each.order.smallest for each in stand.records.reports] == [False, True]
    last_round = stand.records.messages[-3:]
    kept = (await stand.records.current()).history.messages()
    assert [message.id for message in kept] == [message.id for message in last_round][-len(kept) :]


async def test_before_one_request_there_are_at_most_two_whoever_asked() -> None:
    stand = intending(LONG, LONG, LONG, fixed=NEAR_LINE, messages=some_rounds(20))
    stand.clicks.waiting.append(ManualRequest())
    await stand.after_round()
    assert [trigger for trigger, _, _ in stand.acts()] == [Trigger.MANUAL, Trigger.MID_LOOP]


async def test_the_next_boundary_counts_anew() -> None:
    stand = Stand(LONG, LONG, said("x"), fixed=NEAR_LINE, messages=some_rounds(20))
    await stand.at_start()
    stand.add_round()
    stand.gates.last = None
    await stand.after_round()
    assert len(stand.acts()) == 3


async def test_a_poor_gain_is_not_repeated_until_as_much_has_come() -> None:
    brief = said("word " * 50)
    stand = Stand(brief, brief, said("x"), fixed=NEAR_LINE, messages=some_rounds(4))
    await stand.at_start()
    assert stand.gates.last is not None
    assert stand.gates.last.saved_tokens < WINDOW * 0.1
    level = stand.gates.last.level
    for active, acts in ((level + 799, 2), (level + 800, 3)):
        stand.add_round()
        stand.gates.occupancy.measure(active, covered_id=stand.records.messages[-1].id)
        await stand.after_round()
        assert len(stand.acts()) == acts


async def test_a_failed_automatic_one_is_not_repeated_at_the_next_round() -> None:
    stand = Stand(ModelError("broken"), active=LINE)
    for _ in range(3):
        await stand.after_round()
        stand.add_round()
    assert stand.acts() == [(Trigger.MID_LOOP, "standard", Outcome.FAILED)]
    assert stand.gates.last == LastAutomatic(failed=True, saved_tokens=0, level=LINE)


async def test_guards_of_automatic_ones_do_not_hold_back_an_intent() -> None:
    failed = LastAutomatic(failed=True, saved_tokens=0, level=LINE)
    stand = intending(said("x"), active=LINE, last=failed)
    await stand.after_round()
    assert stand.acts() == [(Trigger.TOOL, "light", Outcome.COMPACTED)]


@pytest.mark.parametrize("switch", ["enabled", "mid_loop"])
async def test_switches_stop_the_line_after_a_round_and_neither_click_nor_intent(
    switch: str,
) -> None:
    options: dict[str, Any] = {switch: False, "active": LINE}
    idle = Stand(**options)
    await idle.after_round()
    assert idle.acts() == []
    asked = intending(said("x"), **options)
    await asked.after_round()
    assert asked.acts() == [(Trigger.TOOL, "light", Outcome.COMPACTED)]
    clicked = Stand(said("x"), **options)
    clicked.clicks.waiting.append(HEAVY_CLICK)
    await clicked.after_round()
    assert clicked.acts() == [(Trigger.MANUAL, "heavy", Outcome.COMPACTED)]


@pytest.mark.parametrize(("switch", "acts"), [("enabled", 0), ("mid_loop", 1)])
async def test_at_a_runs_start_and_after_it_only_the_master_switch_counts(
    switch: str, acts: int
) -> None:
    options: dict[str, Any] = {switch: False, "active": LINE}
    starting = Stand(said("x"), **options)
    await starting.at_start()
    ended = Stand(said("x"), **options)
    await ended.gates.idle(await ended.records.current())
    assert [trigger for trigger, _, _ in starting.acts()] == [Trigger.REQUEST_START] * acts
    assert [trigger for trigger, _, _ in ended.acts()] == [Trigger.IDLE] * acts


def over_full() -> Stand:
    """A session whose fixed part alone is over the line."""
    records = StoredRecords(some_rounds())
    builder = make_builder(parts=[PromptPart("persona", "Persona", "word " * LINE)], window=WINDOW)
    summariser = make(records, said("x"), window=WINDOW).summariser
    compactor = Compactor(builder=builder, summariser=summariser, records=records, language="en")
    return Stand(compactor=compactor)


async def test_a_fixed_part_over_the_line_is_said_once_and_starts_nothing() -> None:
    stand = over_full()
    await stand.at_start()
    await stand.after_round()
    assert stand.acts() == []
    (notice,) = [value for name, value in stand.listener.events if name == "notice"]
    assert "'floor_over_line'" in str(notice)
    assert "the line lies at 4,000" in str(notice)


async def test_a_fixed_part_over_the_line_that_was_said_before_is_not_said_again() -> None:
    stand = over_full()
    stand.gates._warn_floor = False
    await stand.at_start()
    assert "notice" not in stand.listener.names()


async def test_an_overflow_makes_room_at_once_and_none_is_none() -> None:
    stand = Stand(said("x"))
    room = await stand.gates.at_overflow(await stand.records.current())
    assert room is not None
    assert room.summary.startswith("x")
    small = Stand(messages=numbered([user("hi")]))
    assert await small.gates.at_overflow(await small.records.current()) is None


async def test_an_overflow_right_after_a_compaction_keeps_the_newest_round_only() -> None:
    stand = Stand(said("x"), said("y"), active=LINE)
    await stand.at_start()
    room = await stand.gates.at_overflow(await stand.records.current())
    assert room is not None
    assert [each.order.smallest for each in stand.records.reports] == [False, True]


async def test_after_a_compaction_the_old_measurement_holds_no_more() -> None:
    stand = intending(said("x"), active=LINE)
    await stand.after_round()
    assert (stand.gates.occupancy.measured, stand.gates.occupancy.covered_id) == (0, None)


async def test_an_overflow_that_gained_nothing_is_tried_with_the_smallest_tail() -> None:
    lines = [user("a " * 30), answer("b"), user("word " * 700), answer("c " * 1_500), user("new")]
    stand = Stand(said("word " * 300), said("x"), messages=numbered(lines))
    room = await stand.gates.at_overflow(await stand.records.current())
    assert room is not None
    assert room.summary.startswith("x")
    ended = [(each.order.smallest, each.outcome) for each in stand.records.reports]
    assert ended == [(False, Outcome.FAILED), (True, Outcome.COMPACTED)]


async def test_an_overflow_that_never_gains_ends_without_room() -> None:
    lines = [user("hi"), answer("b"), user("word " * 7_700)]
    stand = Stand(said("word " * 300), said("word " * 300), messages=numbered(lines))
    assert await stand.gates.at_overflow(await stand.records.current()) is None
    assert stand.records.boundary_id is None
