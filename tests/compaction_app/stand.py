"""The gates of one run over a session in memory."""

from dataclasses import dataclass, field, replace
from typing import Any

from agent.history import Conversation
from agent.messages import Message, ToolCall
from agent.occupancy import Occupancy
from agent.testing import RecordingListener, ScriptedClient
from compaction_app.compact_context import TOOL_NAME
from compaction_app.gates import AutomaticSettings, CompactionGates, ManualRequest
from compaction_app.intents import Intent
from compaction_app.policy import Outcome, Trigger
from tests.compaction_app.histories import result
from tests.compaction_app.stored_records import StoredRecords, make, said, some_rounds
from tests.compaction_app.tool import SESSION, Desk

WINDOW, LINE = 8_000, 4_000
NEAR_LINE = "word " * (LINE - 600)  # a fixed part with which compactions hardly get below the line
LONG = said("word " * 500)
LIGHT = Intent("the files are read", "light")
HEAVY_CLICK = ManualRequest("keep the numbers", "heavy")


@dataclass
class Clicks:
    """The flags that wait on a claim; `takes` is how long a look at them takes, in seconds."""

    desk: Desk
    waiting: list[ManualRequest] = field(default_factory=list)
    takes: float = 0.0

    async def take_manual(self) -> ManualRequest | None:
        self.desk.clock.advance(self.takes)
        return self.waiting.pop(0) if self.waiting else None


class Stand:
    """The gates of one run over a session in memory; `active` tokens were measured last."""

    def __init__(self, *replies: Any, active: int = 1_000, **options: Any) -> None:
        self.records = StoredRecords(options.pop("messages", None) or some_rounds())
        fixed = {"fixed": options.pop("fixed")} if "fixed" in options else {}
        self.desk = Desk()
        self.clicks = Clicks(self.desk)
        self.listener = RecordingListener()
        self.compactor = options.pop("compactor", None) or make(
            self.records, *replies, window=WINDOW, **fixed
        )
        self.compactor.asking_tool = TOOL_NAME
        switches = {key: options.pop(key) for key in ("enabled", "mid_loop") if key in options}
        self.gates = CompactionGates(
            compactor=self.compactor,
            occupancy=Occupancy(active, self.records.messages[-1].id),
            listener=self.listener,
            signals=self.clicks,
            settings=AutomaticSettings(ratio=LINE / WINDOW, **switches),
            teaching=self.desk.teaching(briefed=True),
            **options,
        )

    async def after_round(self) -> Conversation:
        return await self.gates.after_round(await self.records.current())

    async def at_start(self) -> Conversation:
        return await self.gates.at_start(await self.records.current())

    def acts(self) -> list[tuple[Trigger, str, Outcome]]:
        """Trigger, tier and outcome of each compaction."""
        reports = self.records.reports
        return [(each.order.trigger, each.order.tier, each.outcome) for each in reports]

    def receipt(self) -> str:
        return self.desk.receipt.text

    def asked(self) -> list[str]:
        """The instructions of the summary requests."""
        client = self.compactor.summariser.client
        assert isinstance(client, ScriptedClient)
        return [request.instruction for request in client.requests]

    def add_round(self, name: str = "read") -> None:
        """One more round of the model, with a call of this tool."""
        last = self.records.messages[-1].id or 0
        call = ToolCall(f"n{last}", name, "{}")
        more = [Message("assistant", tool_calls=(call,)), result(call.id)]
        self.records.messages += [
            replace(message, id=last + 1 + index) for index, message in enumerate(more)
        ]


def intending(*replies: Any, intent: Intent = LIGHT, **options: Any) -> Stand:
    stand = Stand(*replies, **options)
    stand.desk.intents.register(SESSION, intent)
    return stand
