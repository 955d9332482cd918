"""The tool by which the model asks for room, and everything it is told of it, from one source.

The only place where the tool's name stands. The description holds what is fixed for a run (live
numbers there would break the prompt cache); brief, card and receipt are notes at the request's end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from reprlib import repr as short  # a repr that neither depth nor length of a value can break
from typing import Any

from agent.messages import ToolDefinition
from agent.prompt.notes import escaped
from agent.prompt.templates import render
from agent.protocols import ToolOutcome
from agent.text import clean
from compaction_app.compactor import Report
from compaction_app.intents import INTENT_TTL_S, Intent, Intents
from compaction_app.policy import SHARES, Outcome
from compaction_app.ranges import tail_budget

TOOL_NAME = "compact_context"
ACTIONS = ("compact", "set-tier")
REASON_CHARS = 200
UNKNOWN_MEANS = "standard"  # what an unknown tier stands for
CARD_FROM = 0.3  # occupancy
SOON_FROM, NOW_FROM = 0.5, 0.7  # of the window: the card's advice
WHY_CHARS = 220  # as sent, so that a receipt has at most 400


@dataclass(slots=True)
class RegisteredTier:
    """The session's tier: what a known tier of a call, or a PATCH, set last."""

    value: str
    store: Callable[[str], Awaitable[None]]
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # calls of a round run side by side

    async def register(self, tier: str) -> None:
        """It holds from now on, for automatic compactions too."""
        async with self._lock:
            await self.store(tier)
            self.value = tier


class CompactContext:
    """The tool: only registers an intent and returns at once; never blocks, never raises."""

    def __init__(
        self,
        *,
        session_id: int,
        intents: Intents,
        tier: RegisteredTier,
        count: Callable[[str], Awaitable[None]],
        language: str,
        ratio: float,
    ) -> None:
        self._session_id = session_id
        self._intents = intents
        self._tier = tier
        self._count = count
        self._language = language
        self.definition = ToolDefinition(TOOL_NAME, description(language, ratio), PARAMETERS)

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Register the intent, or the tier; bad arguments are answered, not raised."""
        error = _refusal(arguments)
        if error:
            return await self.refuse(error)
        await self._count("tool_calls")
        action, tier = arguments.get("action") or "compact", arguments.get("tier") or ""
        if tier in SHARES:
            await self._tier.register(tier)
        if action == "set-tier":
            return ToolOutcome({"ok": True, "action": action, "tier": self._tier.value})
        reason = clean(str(arguments.get("reason") or ""))[:REASON_CHARS]
        unknown = tier if tier not in SHARES else ""
        intent = Intent(reason, UNKNOWN_MEANS if unknown else self._tier.value)
        self._intents.register(self._session_id, intent)
        return ToolOutcome(self._scheduled(intent, unknown))

    async def refuse(self, problem: str) -> ToolOutcome:
        """The answer to arguments that can't be taken; the call counts all the same."""
        await self._count("tool_calls")
        return ToolOutcome({"ok": False, "error": problem}, is_error=True)

    def _scheduled(self, intent: Intent, unknown: str) -> dict[str, Any]:
        data: dict[str, Any] = {
            "ok": True,
            "scheduled": "next-step",
            "action": "compact",
            "tier": intent.tier,
            "verify": render(self._language, "compact_verify"),
        }
        if unknown:
            data["note"] = render(
                self._language,
                "compact_unknown_tier",
                tier=short(unknown),
                allowed=", ".join(SHARES),
            )
        return data


def _refusal(arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments; empty when nothing is."""
    unknown = [name for name in arguments if name not in PARAMETERS["properties"]]
    if unknown:
        allowed = ", ".join(PARAMETERS["properties"])
        return f"unknown argument {short(unknown[0])}; allowed: {allowed}"
    for name, value in arguments.items():
        if value is not None and not isinstance(value, str):
            return f"{name} must be a text, not {short(value)}"
    action, tier = arguments.get("action"), arguments.get("tier")
    if action and action not in ACTIONS:
        return f"unknown action {short(action)}; allowed: {', '.join(ACTIONS)}"
    if action == "set-tier" and tier not in SHARES:
        return f"set-tier needs a tier: {', '.join(SHARES)}; given: {short(tier)}"
    return ""


PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "tier": {"type": "string"},
        "action": {"type": "string"},
    },
    "additionalProperties": False,
}


def _shares() -> dict[str, str]:
    return {tier: f"{share * 100:g}" for tier, share in SHARES.items()}


def description(language: str, ratio: float) -> str:
    """What the tool says of itself: fixed for a run."""
    values = {**_shares(), "line": f"{ratio * 100:g}", "ttl": f"{INTENT_TTL_S:g}"}
    return render(language, "compact_description", **values)


def brief(language: str) -> str:
    """The introduction, for runs whose model can't know of the tool yet."""
    return render(language, "compact_brief", tool=TOOL_NAME, **_shares())


@dataclass(frozen=True, slots=True)
class CardNumbers:
    """What the decision card shows, in tokens; `above` = of the messages after the boundary,
    `grown` = by how much the last round grew.
    """

    active: int
    above: int
    window: int
    line: int
    tier: str
    grown: int | None = None


def card(language: str, numbers: CardNumbers) -> str:
    """The decision card; empty below 30% occupancy."""
    occupancy = numbers.active / numbers.window
    if occupancy < CARD_FROM:
        return ""
    advice = "now" if occupancy >= NOW_FROM else "soon" if occupancy >= SOON_FROM else "wait"
    kept = {tier: f"{_kept(numbers, tier):,}" for tier in SHARES}
    return render(
        language,
        "compact_card",
        active=f"{numbers.active:,}",
        window=f"{numbers.window:,}",
        percent=f"{occupancy * 100:.0f}",
        line=f"{numbers.line:,}",
        to_line=f"{max(0, numbers.line - numbers.active):,}",
        advice=render(language, f"compact_advice_{advice}"),
        tier=numbers.tier,
        trend=_trend(language, numbers),
        tool=TOOL_NAME,
        **kept,
    )


def _kept(numbers: CardNumbers, tier: str) -> int:
    """What a call with this tier would keep now."""
    return tail_budget(window=numbers.window, tier=tier, above=numbers.above, forced=True)


def _trend(language: str, numbers: CardNumbers) -> str:
    if not numbers.grown or numbers.grown < 0:
        return render(language, "compact_trend_unknown")
    rounds = max(0, numbers.line - numbers.active) // numbers.grown
    return render(language, "compact_trend", grown=f"{numbers.grown:,}", rounds=f"{rounds:,}")


def receipt(language: str, report: Report) -> str:
    """What became of an intent, for the next request."""
    if report.outcome == Outcome.COMPACTED:
        return render(
            language,
            "compact_receipt_executed",
            saved=f"{report.saved_tokens:,}",
            tier=report.order.tier,
            ms=f"{report.duration_ms:,}",
        )
    if report.outcome == Outcome.NOTHING:
        return not_needed(language, "nothing_new")
    if report.outcome == Outcome.CONFLICT:
        return not_needed(language, "served")
    why = f"{report.error_code or report.outcome.value}: {report.error}".strip(": ")
    return render(language, "compact_receipt_not_executed", why=_cut(why))


def not_needed(language: str, why: str) -> str:
    """The receipt of an intent that asked for nothing: `why` is "nothing_new" or "served"."""
    because = render(language, f"compact_why_{why}")
    return render(language, "compact_receipt_not_needed", why=because)


def not_executed(language: str, why: str) -> str:
    """The receipt of an intent that was too late: `why` is "lapsed" or "run_ended"."""
    because = render(language, f"compact_why_{why}")
    return render(language, "compact_receipt_not_executed", why=because)


def _cut(text: str) -> str:
    """At most WHY_CHARS as sent, where some characters take several."""
    text = text[:WHY_CHARS]
    while len(escaped(text)) > WHY_CHARS:
        text = text[:-1]
    return text
