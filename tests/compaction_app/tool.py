"""The tool with its memory, its counters and the session's stored tier as plain objects."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from agent.messages import ToolCall, ToolResult
from agent.tools.executor import ToolExecutor
from compaction_app.compact_context import CompactContext, RegisteredTier
from compaction_app.intents import Intents
from compaction_app.teaching import Receipt, Teaching
from tests.compaction_app.clock import Clock

SESSION = 7


@dataclass
class Desk:
    """Everything that one run's tool touches; `stored` are the tiers written, and
    `receipts` the receipts, oldest first.
    """

    language: str = "en"
    clock: Clock = field(default_factory=Clock)
    counted: Counter[str] = field(default_factory=Counter)
    stored: list[str] = field(default_factory=list)
    receipts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.intents = Intents(self.clock)
        self.tier = RegisteredTier("standard", self._store)
        self.receipt = Receipt(store=self._store_receipt)

    async def _store(self, tier: str) -> None:
        self.stored.append(tier)

    async def _store_receipt(self, text: str) -> None:
        self.receipts.append(text)

    async def count(self, counter: str) -> None:
        self.counted[counter] += 1

    def tool(self, ratio: float = 0.8) -> CompactContext:
        return CompactContext(
            session_id=SESSION,
            intents=self.intents,
            tier=self.tier,
            count=self.count,
            language=self.language,
            ratio=ratio,
        )

    def teaching(self, *, briefed: bool = False) -> Teaching:
        return Teaching(
            SESSION, self.language, self.intents, self.tier, self.count, briefed, self.receipt
        )

    async def call(self, **arguments: Any) -> Mapping[str, Any]:
        """What the tool answers."""
        return (await self.tool().run(arguments)).data

    async def round(self, *calls: Mapping[str, Any]) -> list[ToolResult]:
        """The results of calls made side by side, through the real executor."""
        return await self.written(*[orjson.dumps(arguments).decode() for arguments in calls])

    async def written(self, *texts: str) -> list[ToolResult]:
        """The same, with the arguments as a model wrote them."""
        tool = self.tool()
        asked = [
            ToolCall(f"c{number}", tool.definition.name, text) for number, text in enumerate(texts)
        ]
        return [result async for result in ToolExecutor([tool]).run_round(asked)]
