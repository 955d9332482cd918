"""The one path of every compaction: range, summary, commit. Triggers differ in their order only.

Whatever happens, a compaction that began is ended once, and nothing of the conversation changes
unless the commit was won.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from agent.errors import AgentError, NothingGained
from agent.history import Conversation, History
from agent.messages import Usage
from agent.phrases import Phrase
from agent.request import RequestBuilder
from compaction_app.policy import Outcome, Trigger
from compaction_app.ranges import Cut, choose, tail_budget
from compaction_app.stack_head import stack_head
from compaction_app.summariser import Summariser
from compaction_app.writing import NOT_REPORTED, RequestRecords, Writer, milliseconds_since


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for: why, how much is kept, what the user wants kept in mind; `reason` is the
    model's, where it asked.
    """

    trigger: Trigger
    tier: str
    focus: str = ""
    reason: str = ""
    smallest: bool = False  # keep the newest round only

    def __post_init__(self) -> None:
        object.__setattr__(self, "focus", self.focus.strip())
        object.__setattr__(self, "reason", self.reason.strip())


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of a compaction; sizes in tokens, None = not known or not reported."""

    order: Order
    outcome: Outcome
    previous_boundary_id: int | None
    before_tokens: int
    boundary_id: int | None = None
    newest_id: int | None = None  # the newest message when it was made
    message_count: int = 0
    after_tokens: int | None = None
    summary: str = ""
    summary_tokens: int = 0
    usage: Usage = NOT_REPORTED
    model: str = ""
    duration_ms: int = 0
    error: str = ""
    error_code: str = ""
    error_stack: str = ""  # where a failure came from

    @property
    def saved_tokens(self) -> int:
        """max(0, before - after); 0 where nothing was compacted."""
        if self.outcome != Outcome.COMPACTED or self.after_tokens is None:
            return 0
        return max(0, self.before_tokens - self.after_tokens)


class Records(RequestRecords, Protocol):
    """Where compactions are told of and kept; upstairs it is rows and frames."""

    async def begun(self, order: Order, *, message_count: int, estimated_tokens: int) -> None:
        """A compaction starts; exactly one of `commit` and `ended` follows."""
        ...

    async def commit(self, report: Report) -> Report | None:
        """Put boundary and summary in force, in one transaction; None: someone was faster.

        Returns the report with its `after_tokens`: active tokens of the request at hand from then.
        """
        ...

    async def ended(self, report: Report) -> None:
        """It ended without a new boundary."""
        ...

    async def current(self) -> Conversation:
        """The conversation as it is stored now."""
        ...


class Compactor:
    """Compacts one session. `window` is that of the session's model, whoever writes the summary."""

    def __init__(  # noqa: PLR0913 - the parts of one path
        self,
        *,
        builder: RequestBuilder,
        summariser: Summariser,
        records: Records,
        language: str,
        asking_tool: str = "",
        say: Callable[[str], str] = str,
        wrap: Callable[[str], str] = str,
    ) -> None:
        self.builder = builder
        self.summariser = summariser
        self.records = records
        self.writer = Writer(builder, summariser, records, language, say)
        self.asking_tool = asking_tool  # its calls are wishes for room, nothing to compact
        self.say = say  # in words that people read: of errors
        self.wrap = wrap  # the summary as it is sent
        self.newest_id: int | None = None  # the newest message at the last compaction

    async def compact(
        self, conversation: Conversation, order: Order, *, before: int
    ) -> tuple[Report, Conversation]:
        """Compact; the report, and the conversation to go on with, rebuilt from what is stored.

        `before`: the number that triggered, in active tokens. Raises CancelledError, ClaimLost.
        """
        cut = self._range(conversation, order)
        report = self._begun(conversation, order, cut, before)
        if cut is None and not order.trigger.forced:
            return report, conversation
        started = time.monotonic()
        try:
            count = report.message_count
            await self.records.begun(order, message_count=count, estimated_tokens=before)
            if cut is not None:
                report = await self._summarised(conversation, cut, report)
        except asyncio.CancelledError:
            report = replace(
                report, outcome=Outcome.CANCELLED, duration_ms=milliseconds_since(started)
            )
            await self.records.ended(report)
            raise
        return await self._committed(
            conversation, replace(report, duration_ms=milliseconds_since(started))
        )

    def _begun(
        self, conversation: Conversation, order: Order, cut: Cut | None, before: int
    ) -> Report:
        """What is known at the start; without a cut also how it will end."""
        report = Report(order, Outcome.NOTHING, conversation.boundary_id, before)
        if cut is None:
            return report
        return replace(
            report,
            boundary_id=cut.boundary_id,
            newest_id=conversation.history.last_id,
            message_count=cut.messages,
            model=self.summariser.spec.name,
        )

    def _range(self, conversation: Conversation, order: Order) -> Cut | None:
        history = conversation.history
        if self._nothing_new(history) and not order.smallest:
            return None
        window = self.builder.spec.window_tokens
        budget = tail_budget(
            window=window, tier=order.tier, above=history.tokens, forced=order.trigger.forced
        )
        cut = choose(history.groups, budget=budget, window=window, smallest=order.smallest)
        if cut is None or order.trigger.wished or self._gains(conversation, cut, "-"):
            return cut
        cut = choose(history.groups, budget=0, window=window, smallest=True)
        return cut if cut and self._gains(conversation, cut, "-") else None

    def _nothing_new(self, history: History) -> bool:
        """Whether nothing but wishes for room came since the last compaction."""
        if self.newest_id is None:
            return False
        new = [group.head for group in history.groups if (group.head.id or 0) > self.newest_id]
        names = [{call.name for call in head.tool_calls} for head in new]
        return all(each == {self.asking_tool} for each in names)

    async def _summarised(self, conversation: Conversation, cut: Cut, report: Report) -> Report:
        """The report with its summary, or with what went wrong."""
        try:
            summary, usage = await self.writer.write(
                conversation, cut, focus=report.order.focus, reason=report.order.reason
            )
            if not summary:
                summary, report = self.writer.extract(conversation, cut), replace(report, model="")
            if not (report.order.trigger.wished or self._gains(conversation, cut, summary)):
                raise NothingGained(
                    Phrase("The summary would take no less room than what it replaces.")
                )
        except AgentError as error:
            report = replace(
                report,
                outcome=Outcome.FAILED,
                error=self.say(error.user_message),
                error_code=error.code,
                error_stack=stack_head(error),
            )
            if report.order.trigger != Trigger.OVERFLOW:
                return report
            summary, usage = self.writer.extract(conversation, cut), NOT_REPORTED
            if not self._gains(conversation, cut, summary):
                return report
        return replace(
            report,
            outcome=Outcome.COMPACTED,
            summary=summary,
            summary_tokens=self.builder.estimator.text(summary),
            usage=usage,
        )

    def _gains(self, conversation: Conversation, cut: Cut, summary: str) -> bool:
        """Whether the summary, as sent, takes less room than what it stands for."""
        count = self.builder.estimator.text
        return count(self.wrap(summary)) < cut.tokens + count(conversation.handoff)

    async def _committed(
        self, conversation: Conversation, report: Report
    ) -> tuple[Report, Conversation]:
        if report.outcome != Outcome.COMPACTED:
            await self.records.ended(report)
            return report, conversation
        done = await self.records.commit(report)
        if done is None:
            done = replace(report, outcome=Outcome.CONFLICT)
            await self.records.ended(done)
        else:
            self.newest_id = report.newest_id
        return done, await self.records.current()
