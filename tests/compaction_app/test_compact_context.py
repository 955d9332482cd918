import asyncio
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.text import clean_json
from compaction_app.compact_context import (
    PARAMETERS,
    REASON_CHARS,
    TOOL_NAME,
    RegisteredTier,
    description,
)
from compaction_app.intents import Intent
from tests.compaction_app.tool import SESSION, Desk

VERIFY = (
    "Your next request carries a receipt in its context notes; its history then begins with the "
    "session handoff."
)
ARGUMENTS = ["reason", "tier", "action"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


async def test_a_call_registers_an_intent_and_answers_at_once() -> None:
    desk = Desk()
    answer = await desk.call(reason="the files are read")
    assert answer == {
        "ok": True,
        "scheduled": "next-step",
        "action": "compact",
        "tier": "standard",
        "verify": VERIFY,
    }
    assert desk.intents.take(SESSION) == Intent("the files are read", "standard")
    assert desk.counted == {"tool_calls": 1}


async def test_it_needs_no_argument() -> None:
    desk = Desk()
    assert (await desk.call())["ok"] is True
    assert (await desk.call(reason=None, tier=None, action=None))["ok"] is True
    assert desk.intents.take(SESSION) == Intent("", "standard")


async def test_the_reason_is_cut_to_200_characters_and_cleaned() -> None:
    desk = Desk()
    assert REASON_CHARS == 200
    await desk.call(reason="\x00\udc97" + "读" * 500)
    assert desk.intents.take(SESSION) == Intent("\u2400\ufffd" + "读" * 198, "standard")


@pytest.mark.parametrize("tier", ["light", "standard", "heavy"])
async def test_a_known_tier_is_registered_for_the_session(tier: str) -> None:
    desk = Desk()
    assert (await desk.call(tier=tier))["tier"] == tier
    assert (desk.stored, desk.tier.value) == ([tier], tier)
    assert desk.intents.take(SESSION) == Intent("", tier)


async def test_a_call_without_a_tier_keeps_the_registered_one() -> None:
    desk = Desk()
    await desk.call(tier="heavy")
    assert (await desk.call())["tier"] == "heavy"
    assert (desk.stored, desk.tier.value) == (["heavy"], "heavy")
    assert desk.intents.take(SESSION) == Intent("", "heavy")


async def test_an_unknown_tier_means_standard_this_once_which_is_said_and_not_registered() -> None:
    desk = Desk()
    await desk.call(tier="heavy")
    answer = await desk.call(tier="huge")
    assert (answer["ok"], answer["tier"]) == (True, "standard")
    assert answer["note"] == (
        "tier 'huge' is not known (allowed: light, standard, heavy): standard is used this once, "
        "nothing was registered"
    )
    assert desk.intents.take(SESSION) == Intent("", "standard")
    assert (desk.stored, desk.tier.value) == (["heavy"], "heavy")


async def test_set_tier_stores_the_tier_without_an_intent() -> None:
    desk = Desk()
    answer = await desk.call(action="set-tier", tier="light")
    assert answer == {"ok": True, "action": "set-tier", "tier": "light"}
    assert (desk.stored, desk.intents.peek(SESSION)) == (["light"], None)


async def test_the_result_names_the_tier_that_is_used_whatever_comes_beside_it() -> None:
    desk = Desk()
    first, _ = await desk.round({"tier": "light"}, {"action": "set-tier", "tier": "heavy"})
    intent = desk.intents.take(SESSION)
    assert intent is not None
    assert orjson.loads(first.text)["tier"] == intent.tier == "light"
    assert desk.tier.value == desk.stored[-1] == "heavy"


async def test_of_two_tiers_at_once_the_one_stored_last_holds() -> None:
    stored: list[str] = []

    async def store(tier: str) -> None:
        await asyncio.sleep(0.02 if tier == "light" else 0)
        stored.append(tier)

    tier = RegisteredTier("standard", store)
    await asyncio.gather(tier.register("light"), tier.register("heavy"))
    assert (tier.value, stored) == ("heavy", ["light", "heavy"])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"why": "x"}, "unknown argument 'why'; allowed: reason, tier, action"),
        ({"reason": 3}, "reason must be a text, not 3"),
        ({"tier": ["light"]}, "tier must be a text, not ['light']"),
        ({"action": "undo"}, "unknown action 'undo'; allowed: compact, set-tier"),
        (
            {"action": "set-tier"},
            "set-tier needs a tier: light, standard, heavy; given: None",
        ),
        (
            {"action": "set-tier", "tier": "huge"},
            "set-tier needs a tier: light, standard, heavy; given: 'huge'",
        ),
    ],
)
async def test_bad_arguments_are_answered_and_change_nothing(
    arguments: dict[str, Any], error: str
) -> None:
    desk = Desk()
    assert await desk.call(**arguments) == {"ok": False, "error": error}
    assert desk.intents.peek(SESSION) is None
    assert (desk.stored, desk.counted) == ([], {"tool_calls": 1})


@given(st.dictionaries(st.sampled_from(ARGUMENTS) | st.text(), json_values, max_size=4))
@example({"tier": "x" * 100_000})
@example({"x" * 100_000: None})
async def test_it_never_raises_whatever_the_arguments(arguments: dict[str, Any]) -> None:
    desk = Desk()
    answer = (await desk.tool().run(arguments)).data
    assert answer["ok"] is (desk.intents.peek(SESSION) is not None or "action" in answer)
    assert ("error" in answer) is not answer["ok"]
    assert desk.counted == {"tool_calls": 1}
    assert len(orjson.dumps(clean_json(dict(answer)))) < 1_000


async def test_an_argument_nested_as_deep_as_json_may_be_is_refused_like_any_other() -> None:
    deep = orjson.loads("[" * 1_000 + "]" * 1_000)
    assert await Desk().call(tier=deep) == {
        "ok": False,
        "error": "tier must be a text, not [[[[[[[...]]]]]]]",
    }


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[]", "the arguments are '[]'; expected an object like {}"),
        ('"now"', "the arguments are '\"now\"'; expected an object like {}"),
        (
            '{"reason": ',
            "the arguments are no valid JSON (unexpected end of data: line 1 column 12 (char 11)): "
            "'{\"reason\": '; expected one object",
        ),
    ],
)
async def test_arguments_that_are_no_object_are_answered_like_bad_ones(
    text: str, error: str
) -> None:
    desk = Desk()
    (result,) = await desk.written(text)
    assert orjson.loads(result.text) == {"ok": False, "error": error}
    assert (result.is_error, desk.counted) == (True, {"tool_calls": 1})
    assert desk.intents.peek(SESSION) is None


async def test_bad_arguments_are_an_error_on_the_page_too() -> None:
    (result,) = await Desk().round({"action": "undo"})
    assert result.is_error


def test_its_schema_takes_plain_strings_and_nothing_else() -> None:
    assert PARAMETERS["additionalProperties"] is False
    assert PARAMETERS["properties"] == {name: {"type": "string"} for name in ARGUMENTS}
    assert "required" not in PARAMETERS


async def test_its_definition_stays_the_same_while_it_is_used() -> None:
    desk = Desk()
    tool = desk.tool()
    before = tool.definition
    await tool.run({"tier": "heavy"})
    assert tool.definition == before == desk.tool().definition
    assert before.name == TOOL_NAME


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_its_description_says_the_shares_the_line_and_how_long_a_call_holds(language: str) -> None:
    text = description(language, 0.75)
    assert len(text) <= 500
    for number in ("8%", "16%", "24%", "75%", "120"):
        assert number in text
