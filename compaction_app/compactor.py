"""The one path of every compaction: range, summary, commit. Triggers differ in their order only.

Whatever happens, a compaction that began is ended once, and nothing of the conversation changes
unless the commit was won.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from agent.errors import AgentError, ModelOutputInvalid
from agent.history import Conversation, History
from agent.messages import ModelResponse, Usage
from agent.protocols import RetryNotice
from agent.request import ModelRequest, RequestBuilder, fits
from compaction_app import handoff
from compaction_app.extract import extract
from compaction_app.policy import Trigger, summary_limit
from compaction_app.ranges import Cut, choose, tail_budget
from compaction_app.stack_head import stack_head
from compaction_app.summariser import Summariser

NOT_REPORTED = Usage()
CARRIED_SHARE = 2  # what a summary left out of the user's words gets half of its limit


class Outcome(StrEnum):
    """How a compaction ended."""

    COMPACTED = "compacted"
    NOTHING = "nothing_to_compact"
    FAILED = "failed"
    CONFLICT = "conflict"
    CANCELLED = "cancelled"


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


class Records(Protocol):
    """Where compactions are told of and kept; upstairs it is rows and frames."""

    async def begun(self, order: Order, *, message_count: int, estimated_tokens: int) -> None:
        """A compaction starts; exactly one of `commit` and `ended` follows."""
        ...

    async def summary_requested(self, request: ModelRequest) -> int:
        """A summary request is about to be sent; returns its id in the request log."""
        ...

    async def summary_answered(
        self, request_id: int, response: ModelResponse | None, *, error: str, duration_ms: int
    ) -> None:
        """It was answered, or failed."""
        ...

    async def retrying(self, notice: RetryNotice) -> None:
        """The summary request is tried again."""
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

    def __init__(
        self,
        *,
        builder: RequestBuilder,
        summariser: Summariser,
        records: Records,
        language: str,
        asking_tool: str = "",
        say: Callable[[str], str] = str,
    ) -> None:
        self.builder = builder
        self.summariser = summariser
        self.records = records
        self.language = language
        self.asking_tool = asking_tool  # its calls are wishes for room, nothing to compact
        self.say = say  # in words that people read: of errors
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
            report = replace(report, outcome=Outcome.CANCELLED, duration_ms=_since(started))
            await self.records.ended(report)
            raise
        return await self._committed(conversation, replace(report, duration_ms=_since(started)))

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
        return choose(history.groups, budget=budget, window=window, smallest=order.smallest)

    def _nothing_new(self, history: History) -> bool:
        """Whether nothing but wishes for room came since the last compaction."""
        if self.newest_id is None:
            return False
        new = [group.head for group in history.groups if (group.head.id or 0) > self.newest_id]
        names = [{call.name for call in head.tool_calls} for head in new]
        return all(each == {self.asking_tool} for each in names)

    async def _summarised(self, conversation: Conversation, cut: Cut, report: Report) -> Report:
        """The report with its summary, or with what went wrong."""
        limit = summary_limit(self.summariser.spec.window_tokens, self.summariser.max_tokens)
        try:
            summary, usage = await self._written(conversation, cut, report.order, limit)
        except AgentError as error:
            report = replace(report, error=self.say(error.user_message), error_code=error.code)
            if report.order.trigger != Trigger.OVERFLOW:
                return replace(report, outcome=Outcome.FAILED, error_stack=stack_head(error))
            summary, usage = self._extracted(conversation, cut, limit), NOT_REPORTED
        if not summary:
            summary, report = self._extracted(conversation, cut, limit), replace(report, model="")
        return replace(
            report,
            outcome=Outcome.COMPACTED,
            summary=summary,
            summary_tokens=self.builder.estimator.text(summary),
            usage=usage,
        )

    async def _written(
        self, conversation: Conversation, cut: Cut, order: Order, limit: int
    ) -> tuple[str, Usage]:
        """The model's summary; empty when the request would not fit and so is not sent."""
        ask = handoff.instruction(
            self.language, limit=limit, focus=order.focus, reason=order.reason
        )
        request = self.builder.build_summary(
            conversation, ask, messages=cut.messages, tokens=cut.tokens, limit=limit
        )
        request = replace(request, spec=self.summariser.spec)
        needed = request.estimated + self.builder.estimator.text(ask) + limit
        if not fits(needed, self.summariser.spec.window_tokens):
            return "", NOT_REPORTED
        said = [m.content for m in request.messages if m.role == "user"]
        response = await self._ask(request)
        try:
            summary = handoff.parse(response)
        except ModelOutputInvalid as problem:
            wrong = self.say(problem.user_message)
            again = handoff.correction(self.language, problem=wrong, instruction=ask)
            response = await self._ask(replace(request, instruction=again))
            summary = handoff.parse(response)
        faithful = handoff.faithful(
            summary,
            previous=conversation.summary,
            said=said,
            language=self.language,
            room=limit // CARRIED_SHARE,
            count=self.builder.estimator.text,
        )
        return faithful, response.usage

    async def _ask(self, request: ModelRequest) -> ModelResponse:
        """One summary request, tried again like any other; its usage is the session's never."""
        request_id = await self.records.summary_requested(request)
        started, response, error = time.monotonic(), None, ""
        try:
            response = await self.summariser.ask(request, notify=self.records.retrying)
        except AgentError as problem:
            error = self.say(problem.user_message)
            raise
        finally:
            await self.records.summary_answered(
                request_id, response, error=error, duration_ms=_since(started)
            )
        return response

    def _extracted(self, conversation: Conversation, cut: Cut, limit: int) -> str:
        return extract(
            conversation.history.messages()[: cut.messages],
            previous=conversation.summary,
            language=self.language,
            limit=limit,
            count=self.builder.estimator.text,
        )

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


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
