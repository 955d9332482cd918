"""When a run makes room: the order of click, intent and line, and what the model is told."""

from agent.errors import ModelError
from compaction_app.compact_context import TOOL_NAME
from compaction_app.gates import ManualRequest
from compaction_app.intents import INTENT_TTL_S
from compaction_app.policy import Outcome, Trigger
from tests.compaction_app.histories import asks, numbered
from tests.compaction_app.stand import HEAVY_CLICK, LIGHT, LINE, Stand, intending
from tests.compaction_app.stored_records import said, some_rounds
from tests.compaction_app.tool import SESSION


async def test_below_the_line_with_nothing_asked_for_nothing_happens() -> None:
    stand = Stand()
    before = await stand.records.current()
    assert (await stand.after_round()).history.tokens == before.history.tokens
    assert (await stand.at_start()).boundary_id is None
    assert (stand.records.told, stand.desk.counted) == ([], {})
    assert stand.listener.names() == ["context_checked"]


async def test_an_intent_is_acted_on_far_below_the_line() -> None:
    stand = intending(said("All so far."))
    after = await stand.after_round()
    assert after.summary.startswith("All so far.")
    assert stand.acts() == [(Trigger.TOOL, "light", Outcome.COMPACTED)]
    assert stand.desk.counted == {"intents": 1}
    assert stand.receipt().startswith("Your request to compact was executed: ")
    assert "tier light" in stand.receipt()


async def test_the_models_reason_is_handed_on_as_its_own() -> None:
    stand = intending(said("x"))
    await stand.after_round()
    (instruction,) = stand.asked()
    assert instruction.endswith("which is no wish of the user: the files are read")


async def test_at_the_line_the_intent_comes_before_the_line_and_serves_it_too() -> None:
    stand = intending(said("x"), active=LINE)
    await stand.after_round()
    assert stand.acts() == [(Trigger.TOOL, "light", Outcome.COMPACTED)]


async def test_a_click_comes_first_and_serves_intent_and_line() -> None:
    stand = intending(said("x"), active=LINE)
    stand.clicks.waiting.append(HEAVY_CLICK)
    await stand.after_round()
    assert stand.acts() == [(Trigger.MANUAL, "heavy", Outcome.COMPACTED)]
    assert stand.desk.counted == {"intents": 1}
    assert stand.receipt() == (
        "Your request to compact was not needed: another compaction has just made room. "
        "Keep working."
    )


async def test_a_clicks_tier_holds_for_that_once_and_its_words_are_the_users() -> None:
    stand = Stand(said("x"))
    stand.clicks.waiting.append(HEAVY_CLICK)
    await stand.after_round()
    (instruction,) = stand.asked()
    assert instruction.endswith("special attention to: keep the numbers")
    assert stand.desk.tier.value == "standard"


async def test_a_click_that_failed_leaves_the_intent_its_try() -> None:
    stand = intending(ModelError("broken"), said("x"))
    stand.clicks.waiting.append(HEAVY_CLICK)
    await stand.after_round()
    assert stand.acts() == [
        (Trigger.MANUAL, "heavy", Outcome.FAILED),
        (Trigger.TOOL, "light", Outcome.COMPACTED),
    ]


async def test_a_failing_compaction_is_tried_once_and_its_intent_is_gone() -> None:
    stand = intending(ModelError("the model is broken"))
    await stand.after_round()
    stand.add_round()
    await stand.after_round()
    assert stand.acts() == [(Trigger.TOOL, "light", Outcome.FAILED)]
    assert stand.desk.counted == {"intents": 1}
    assert "model_error: the model is broken" in stand.receipt()


async def test_with_nothing_new_since_the_last_compaction_no_model_is_asked() -> None:
    stand = intending(said("x"))
    await stand.after_round()
    for _ in range(2):  # to ask again is nothing new
        stand.add_round(TOOL_NAME)
        stand.desk.intents.register(SESSION, LIGHT)
        await stand.after_round()
    assert stand.acts()[1:] == [(Trigger.TOOL, "light", Outcome.NOTHING)] * 2
    assert len(stand.asked()) == 1
    assert "nothing has come since the last compaction" in stand.receipt()


async def test_with_anything_new_it_compacts_again() -> None:
    stand = intending(said("x"), said("y"))
    await stand.after_round()
    stand.add_round()
    stand.add_round(TOOL_NAME)
    stand.desk.intents.register(SESSION, LIGHT)
    await stand.after_round()
    assert [outcome for _, _, outcome in stand.acts()] == [Outcome.COMPACTED] * 2


async def test_who_loses_the_race_is_told_that_room_was_made() -> None:
    stand = intending(said("mine"))
    stand.records.lose = True
    assert (await stand.after_round()).summary == "of the winner"
    assert "another compaction has just made room" in stand.receipt()


async def test_an_intent_waits_while_a_result_of_its_round_is_missing() -> None:
    stand = intending(said("x"), messages=numbered([*some_rounds(), asks("open")]))
    await stand.after_round()
    stand.desk.clock.advance(INTENT_TTL_S + 1)
    assert stand.acts() == []
    assert stand.desk.intents.peek(SESSION) == LIGHT


async def test_an_intent_that_lapsed_while_a_click_was_served_is_counted_and_said() -> None:
    stand = intending()
    stand.clicks.takes = INTENT_TTL_S + 1
    await stand.after_round()
    assert (stand.acts(), stand.desk.counted) == ([], {"expired": 1})
    assert "it lapsed before it could be acted on" in stand.receipt()


async def test_an_intent_left_by_a_run_that_lost_its_claim_is_not_acted_on() -> None:
    stand = intending()
    await stand.at_start()
    await stand.after_round()
    assert (stand.acts(), stand.desk.counted) == ([], {"missed": 1})


async def test_an_intent_of_another_session_is_left_alone() -> None:
    stand = Stand()
    stand.desk.intents.register(SESSION + 1, LIGHT)
    await stand.after_round()
    assert stand.acts() == []
    assert stand.desk.intents.peek(SESSION + 1) == LIGHT


async def test_an_unknown_tier_is_standard_once_and_the_registered_one_stays() -> None:
    stand = Stand(said("x"), said("y"))
    await stand.desk.call(tier="heavy")
    await stand.desk.call(tier="huge")
    await stand.after_round()
    stand.add_round()
    stand.clicks.waiting.append(ManualRequest())
    await stand.after_round()
    assert [tier for _, tier, _ in stand.acts()] == ["standard", "heavy"]


async def test_a_click_in_the_last_round_is_honoured_and_an_intent_there_is_not() -> None:
    stand = intending(said("x"))
    stand.clicks.waiting.append(HEAVY_CLICK)
    await stand.gates.at_finish(await stand.records.current())
    assert stand.acts() == [(Trigger.MANUAL, "heavy", Outcome.COMPACTED)]
    assert stand.desk.counted == {}


async def test_a_receipt_goes_out_once_and_again_only_where_the_request_failed() -> None:
    stand = intending(said("x"))
    after = await stand.after_round()
    assert "<receipt>" in stand.gates.notes(after)  # and this request fails
    assert "<receipt>" in stand.gates.notes(after)
    stand.add_round()
    assert "<receipt>" not in stand.gates.notes(await stand.after_round())


async def test_the_checked_context_holds_the_notes_of_the_next_request() -> None:
    stand = intending(said("x"))
    after = await stand.after_round()
    notes = stand.gates.notes(after)
    request = stand.compactor.builder.build(after, notes=notes)
    assert stand.listener.events[-1] == ("context_checked", request.estimated)
