"""A session in memory, and a compactor on it."""

from dataclasses import dataclass, field, replace
from typing import Any

from agent.history import Conversation, History
from agent.manifest import PromptPart
from agent.messages import Message, ModelResponse, Usage
from agent.protocols import RetryNotice
from agent.request import ModelRequest, RequestBuilder
from agent.retry import RetryPolicy
from agent.testing import ScriptedClient, make_builder
from agent.tokens import TokenEstimator
from compaction_app.compactor import Compactor, Order, Report
from compaction_app.policy import Trigger
from compaction_app.summariser import Summariser
from tests.compaction_app.histories import answer, asks, numbered, result, user


@dataclass
class StoredRecords:
    """A session in memory: its messages, boundary and summary, and what was told of compactions."""

    messages: list[Message]
    boundary_id: int | None = None
    summary: str = ""
    told: list[Any] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    lose: bool = False
    builder: RequestBuilder = field(default_factory=make_builder)

    async def begun(self, order: Order, *, message_count: int, estimated_tokens: int) -> None:
        self.told.append(("begun", order.trigger, message_count))

    async def summary_requested(self, request: ModelRequest) -> int:
        self.told.append("asked")
        return len(self.told)

    async def summary_answered(
        self, request_id: int, response: ModelResponse | None, *, error: str, duration_ms: int
    ) -> None:
        self.told.append(error or "answered")

    async def retrying(self, notice: RetryNotice) -> None:
        self.told.append("retrying")

    async def commit(self, report: Report) -> Report | None:
        if self.lose or self.boundary_id != report.previous_boundary_id:
            self.boundary_id, self.summary = self.messages[1].id, "of the winner"
            return None
        assert report.boundary_id is not None
        assert report.boundary_id > (self.boundary_id or 0)
        self.boundary_id, self.summary = report.boundary_id, report.summary
        self.told.append("committed")
        after = self.builder.estimate(await self.current())
        self.reports.append(replace(report, after_tokens=after))
        return self.reports[-1]

    async def ended(self, report: Report) -> None:
        self.told.append(("ended", report.outcome))
        self.reports.append(report)

    async def current(self) -> Conversation:
        rest = [m for m in self.messages if (m.id or 0) > (self.boundary_id or 0)]
        wrapped = f"Handoff: {self.summary}" if self.summary else ""
        return Conversation(
            History(TokenEstimator(), rest), self.summary, wrapped, self.boundary_id
        )


def said(text: str) -> ModelResponse:
    return ModelResponse(f"<handoff>{text}</handoff>", usage=Usage(500, 20, 400))


def some_rounds(count: int = 6) -> list[Message]:
    messages: list[Message] = []
    for n in range(count):
        text = "word " * 100
        messages += [user(f"wish {n}"), asks(f"c{n}"), result(f"c{n}", text), answer("ok")]
    return numbered(messages)


def make(
    records: StoredRecords,
    *replies: Any,
    window: int = 8_000,
    client: Any = None,
    fixed: str = "You are helpful.",
) -> Compactor:
    """A compactor whose window is the session's and the summariser's; `fixed` is the prompt."""
    parts = [PromptPart("persona", "Persona", fixed)]
    builder = records.builder = make_builder(parts=parts, window=window)
    summariser = Summariser(
        client=client or ScriptedClient(list(replies)),
        spec=builder.spec,
        max_tokens=12_000,
        retry=RetryPolicy(max_retries=1, first_delay=0.001),
    )
    return Compactor(builder=builder, summariser=summariser, records=records, language="en")


async def compact(
    compactor: Compactor, records: StoredRecords, trigger: Trigger = Trigger.MANUAL, **order: Any
) -> tuple[Report, Conversation]:
    conversation = await records.current()
    return await compactor.compact(
        conversation, Order(trigger, "standard", **order), before=conversation.history.tokens
    )
