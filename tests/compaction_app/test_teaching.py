"""What the model is told of the tool: description, brief, card and receipt, and when."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.prompt.notes import escaped
from compaction_app.compact_context import (
    TOOL_NAME,
    CardNumbers,
    brief,
    card,
    description,
    not_executed,
    not_needed,
    receipt,
)
from compaction_app.compactor import Order, Report
from compaction_app.intents import INTENT_TTL_S, Intent
from compaction_app.policy import Outcome, Trigger
from compaction_app.teaching import Level
from tests.compaction_app.tool import SESSION, Desk

LANGUAGES = ["en", "zh-hans"]
HALF = CardNumbers(active=64_000, above=50_000, window=128_000, line=102_400, tier="standard")
HUGE = CardNumbers(10**9, 10**9, 10**9, 8 * 10**8, "standard", grown=10**8)
LEVEL = Level(active=64_000, above=50_000, window=128_000, line=102_400)
LOW = replace(LEVEL, active=20_000)
WHAT_ALL_SAY = {
    "en": {
        "state the reason": r"state the reason|say why",
        "call": r"\bcall\b",
        "keep working": r"keep working",
        "do not stop": r"do not stop",
        "no automatic resume": r"there is no automatic resume",
    },
    "zh-hans": {
        "state the reason": r"说明原因",
        "call": r"调用",
        "keep working": r"继续工作",
        "do not stop": r"不要(为此)?停下",
        "no automatic resume": r"没有任何自动拉起",
    },
}


def report(outcome: Outcome = Outcome.COMPACTED, **fields: object) -> Report:
    values = {"previous_boundary_id": None, "before_tokens": 64_000, **fields}
    return Report(Order(Trigger.TOOL, "light"), outcome, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("teaching", ["description", "brief", "card"])
def test_each_of_the_three_says_all_that_counts(language: str, teaching: str) -> None:
    text = {
        "description": description(language, 0.8),
        "brief": brief(language),
        "card": card(language, HALF),
    }[teaching]
    said = [w for w, words in WHAT_ALL_SAY[language].items() if re.search(words, text, re.I)]
    assert said == list(WHAT_ALL_SAY[language])


@pytest.mark.parametrize("language", LANGUAGES)
def test_brief_and_card_name_the_tool_and_ask_to_write_results_down_first(language: str) -> None:
    first = {"en": "write key results down first", "zh-hans": "先把关键结果写下来"}[language]
    for text in (brief(language), card(language, HALF)):
        assert TOOL_NAME in text
        assert first in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_together_they_stay_short(language: str) -> None:
    texts = [description(language, 0.8), brief(language), card(language, HUGE)]
    assert len(texts[0]) <= 500
    assert sum(map(len, texts)) <= 3_000


def test_the_card_gives_the_numbers_of_the_moment() -> None:
    assert card("en", replace(HALF, grown=6_000)) == (
        "Context: 64,000 of 128,000 tokens (50%); the line is at 102,400 (38,400 to go). "
        "Decision: compact at the next good moment.\n"
        "- Kept as they are by tier: light 10,240, standard 20,480, heavy 25,000 tokens. "
        "Registered tier: standard.\n"
        "- Trend: about +6,000 tokens with the last round, roughly 6 rounds to the line.\n"
        "- If you do nothing: at the line the system compacts at its own moment, perhaps in the "
        "middle of your work.\n"
        "- If you compact: write key results down first, state the reason, call compact_context, "
        "keep working, do not stop; there is no automatic resume."
    )


def test_the_chinese_card_gives_the_same_numbers() -> None:
    figures = re.compile(r"\d+(?:,\d{3})*%?")
    numbers = replace(HALF, grown=6_000)
    found = [sorted(figures.findall(card(language, numbers))) for language in LANGUAGES]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("active", "advice"),
    [
        (38_399, None),
        (38_400, "no need yet"),
        (63_999, "no need yet"),
        (64_000, "at the next good moment"),
        (89_600, "compact now"),
    ],
)
def test_the_card_comes_from_30_percent_on_and_decides(active: int, advice: str | None) -> None:
    text = card("en", replace(HALF, active=active))
    assert bool(text) is (advice is not None)
    assert (advice or "") in text


@pytest.mark.parametrize("grown", [None, 0, -30_000])
def test_a_trend_is_given_only_where_the_context_grew(grown: int | None) -> None:
    assert "Trend: not known yet." in card("en", replace(HALF, grown=grown))


def test_past_the_line_nothing_is_left_to_go() -> None:
    text = card("en", replace(HALF, active=110_000, grown=6_000))
    assert "(0 to go)" in text
    assert "roughly 0 rounds" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_receipt_says_what_was_done(language: str) -> None:
    text = receipt(language, report(after_tokens=14_000, duration_ms=1_234))
    for figure in ("50,000", "light", "1,234"):
        assert figure in text


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome.NOTHING, "nothing has come since the last compaction"),
        (Outcome.CONFLICT, "another compaction has just made room"),
    ],
)
def test_a_receipt_says_why_nothing_was_needed(outcome: Outcome, why: str) -> None:
    text = receipt("en", report(outcome))
    assert text.startswith("Your request to compact was not needed: ")
    assert why in text


def test_a_receipt_of_a_failure_has_its_code_and_message() -> None:
    failed = report(Outcome.FAILED, error="it is empty", error_code="model_output_invalid")
    assert receipt("en", failed) == (
        "Your request to compact was not executed: model_output_invalid: it is empty. Nothing was "
        "changed; call again later, or tell the user. Keep working."
    )


@given(st.text() | st.text("<&>\n", min_size=200), st.sampled_from(LANGUAGES))
def test_a_receipt_has_at_most_400_characters_as_sent(error: str, language: str) -> None:
    failed = report(Outcome.FAILED, error=error, error_code="model_output_invalid")
    assert len(escaped(receipt(language, failed))) <= 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_other_receipt_is_short_too(language: str) -> None:
    texts = [
        receipt(language, report(after_tokens=0, duration_ms=10**9)),
        *(not_needed(language, why) for why in ("nothing_new", "served")),
        *(not_executed(language, why) for why in ("lapsed", "run_ended")),
    ]
    assert max(map(len, texts)) <= 400
    assert len(set(texts)) == len(texts)


def notes(desk: Desk, level: Level = LEVEL, *, briefed: bool = True) -> str:
    return desk.teaching(briefed=briefed).notes(level, sending=False)


async def test_the_notes_hold_brief_card_and_receipt_where_there_is_one() -> None:
    desk = Desk()
    assert notes(desk, LOW) == ""
    assert re.findall(r"<(\w+)>", notes(desk)) == ["context_notes", "card"]
    await desk.receipt.leave("done")
    assert re.findall(r"<(\w+)>", notes(desk, briefed=False)) == [
        "context_notes",
        "brief",
        "card",
        "receipt",
    ]


@pytest.mark.parametrize("level", [replace(LEVEL, window=None), replace(LEVEL, line=None)])
def test_an_unknown_window_has_no_card(level: Level) -> None:
    assert notes(Desk(), level) == ""


def test_the_card_names_the_tier_registered_last() -> None:
    desk = Desk()
    teaching = desk.teaching(briefed=True)
    desk.tier.value = "heavy"
    assert "Registered tier: heavy." in teaching.notes(LEVEL, sending=False)


async def test_a_receipt_is_in_every_request_until_one_is_answered_and_in_none_after() -> None:
    desk = Desk()
    teaching = desk.teaching(briefed=True)
    await desk.receipt.leave("done")
    assert "done" in teaching.notes(LOW, sending=False)
    assert "done" in teaching.notes(LOW, sending=True)  # and this request fails
    assert "done" in desk.teaching(briefed=True).notes(LOW, sending=False)  # another run's
    assert "done" in teaching.notes(LOW, sending=True)
    await teaching.heard()
    assert teaching.notes(LOW, sending=True) == ""


async def test_a_receipt_left_after_the_request_went_out_waits_for_the_next() -> None:
    desk = Desk()
    teaching = desk.teaching(briefed=True)
    teaching.notes(LOW, sending=True)
    await desk.receipt.leave("done")
    await teaching.heard()
    assert "done" in teaching.notes(LOW, sending=True)


async def test_the_trend_is_what_came_since_the_last_answered_request() -> None:
    teaching = Desk().teaching(briefed=True)
    teaching.notes(replace(LEVEL, active=60_000), sending=True)
    await teaching.heard()
    assert "+4,000 tokens" in teaching.notes(LEVEL, sending=True)  # this request fails
    assert "+4,000 tokens" in teaching.notes(LEVEL, sending=True)
    await teaching.heard()
    assert "+2,000 tokens" in teaching.notes(replace(LEVEL, active=66_000), sending=True)


async def test_right_after_a_compaction_no_trend_is_known() -> None:
    teaching = Desk().teaching(briefed=True)
    teaching.notes(replace(LEVEL, active=100_000), sending=True)
    await teaching.heard()
    assert "not known yet" in teaching.notes(LEVEL, sending=True)


async def test_an_intent_is_consumed_and_counted_once_and_only_when_possible() -> None:
    desk = Desk()
    teaching = desk.teaching()
    desk.intents.register(SESSION, Intent("full", "light"))
    assert await teaching.intent(possible=False) is None
    assert desk.counted == {}
    assert await teaching.intent(possible=True) == Intent("full", "light")
    assert await teaching.intent(possible=True) is None
    assert desk.counted == {"intents": 1}


async def test_a_lapsed_intent_is_counted_and_said_and_not_acted_on() -> None:
    desk = Desk()
    teaching = desk.teaching()
    desk.intents.register(SESSION, Intent("full", "light"))
    teaching.settle()
    desk.clock.advance(INTENT_TTL_S + 1)
    assert await teaching.intent(possible=True) is None
    assert desk.counted == {"expired": 1}
    assert "it lapsed before it could be acted on" in teaching.notes(LOW, sending=False)


async def test_an_intent_that_its_run_leaves_behind_is_missed_and_said() -> None:
    desk = Desk()
    desk.intents.register(SESSION, Intent("full", "light"))
    await desk.teaching().drop_intent()
    assert (desk.counted, desk.intents.peek(SESSION)) == ({"missed": 1}, None)
    assert "the run ended before its next step" in notes(desk, LOW)


async def test_another_sessions_intent_is_neither_taken_nor_dropped() -> None:
    desk = Desk()
    desk.intents.register(SESSION + 1, Intent("full", "light"))
    assert await desk.teaching().intent(possible=True) is None
    await desk.teaching().drop_intent()
    assert desk.intents.peek(SESSION + 1) == Intent("full", "light")
    assert desk.counted == {}


async def test_a_receipt_is_stored_when_it_is_left_and_when_it_has_been_told() -> None:
    desk = Desk()
    teaching = desk.teaching(briefed=True)
    await teaching.served()
    left = desk.receipt.text
    teaching.notes(LOW, sending=True)
    await teaching.heard()
    await teaching.heard()
    assert (desk.receipts, desk.receipt.text) == ([left, ""], "")


async def test_a_newer_receipt_is_not_told_with_an_older_one() -> None:
    desk = Desk()
    await desk.receipt.leave("new")
    await desk.receipt.told("old")
    assert desk.receipts == ["new"]
