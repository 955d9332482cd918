"""Where a run asks for room: at its start, after each tool round, at its finish, at an overflow.

At a boundary a manual flag, then an intent, then the line are looked at; one success serves all.
"""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from agent.history import Conversation
from agent.occupancy import Occupancy
from agent.phrases import Phrase
from agent.protocols import Listener
from compaction_app.at_hand import RequestAtHand
from compaction_app.compactor import Compactor, Order, Report
from compaction_app.policy import (
    MAX_BEFORE_REQUEST,
    LastAutomatic,
    Outcome,
    Situation,
    Trigger,
    Verdict,
    verdict,
)
from compaction_app.teaching import Teaching

MOST_NOTES_TOKENS = 10_000  # more than notes can have: they are at most 3,400 characters


@dataclass(frozen=True, slots=True)
class ManualRequest:
    """A click that waited for the round to end; an empty tier means the session's."""

    instructions: str = ""
    tier: str = ""


class Signals(Protocol):
    """What people asked of the run while it worked."""

    async def take_manual(self) -> ManualRequest | None:
        """The compaction asked for by hand since the last look, read once."""
        ...


@dataclass(frozen=True, slots=True)
class AutomaticSettings:
    """The switches of automatic compaction; manual ones ask nobody."""

    enabled: bool = True
    mid_loop: bool = True
    ratio: float = 0.8


class CompactionGates:
    """The `Gates` of one run (or of an idle compaction, which has only `by_hand`)."""

    def __init__(  # noqa: PLR0913 - the parts of one decision
        self,
        *,
        compactor: Compactor,
        occupancy: Occupancy,
        listener: Listener,
        signals: Signals,
        settings: AutomaticSettings,
        teaching: Teaching,
        last: LastAutomatic | None = None,
        warn_floor: bool = True,
    ) -> None:
        self.compactor = compactor
        self.occupancy = occupancy
        self.listener = listener
        self.signals = signals
        self.settings = settings
        self.teaching = teaching
        self.at_hand = RequestAtHand(compactor.builder, occupancy, teaching, settings.ratio)
        self.last = last
        self._warn_floor = warn_floor
        self._done = 0  # compactions since the last request

    async def at_start(self, conversation: Conversation) -> Conversation:
        """The line only: nobody can have asked for anything yet."""
        self._done = 0
        await self.teaching.drop_intent()  # of a run that lost its claim
        return await self._keep_below_line(conversation, Trigger.REQUEST_START)

    async def after_round(self, conversation: Conversation) -> Conversation:
        """Flag, then intent, then the line; the first two are read whatever the switches say."""
        self._done = 0
        await self.teaching.heard()
        complete = conversation.history.complete
        if complete:
            self.teaching.settle()
        conversation = await self._by_flag(conversation)
        conversation = await self._by_intent(conversation, possible=complete)
        await self.listener.context_checked(self.at_hand.build(conversation))
        if not self.settings.mid_loop:
            return conversation
        return await self._keep_below_line(conversation, Trigger.MID_LOOP)

    def notes(self, conversation: Conversation) -> str:
        """The notes of the request that is about to be sent: brief, card, receipt."""
        return self.at_hand.notes(conversation, sending=True)

    async def at_finish(self, conversation: Conversation) -> Conversation:
        """A click in the last round is honoured."""
        self._done = 0
        await self.teaching.heard()
        return await self._by_flag(conversation)

    async def at_overflow(self, conversation: Conversation) -> Conversation | None:
        """One compaction, and a second with the smallest tail if need be; None: no room made."""
        order = Order(Trigger.OVERFLOW, self._tier(), smallest=self._done > 0)
        report, conversation = await self._compact(conversation, order)
        moved = _moved(report)
        failed = report.outcome == Outcome.FAILED and not order.smallest
        if failed or (moved and self._due(conversation)):
            order = Order(Trigger.OVERFLOW, self._tier(), smallest=True)
            report, conversation = await self._compact(conversation, order)
        return conversation if moved or _moved(report) else None

    async def idle(self, conversation: Conversation) -> Report | None:
        """The safety net after a run; None when there is nothing to do."""
        if not self.over_line(conversation):
            return None
        report, _ = await self._compact(conversation, Order(Trigger.IDLE, self._tier()))
        return report

    async def by_hand(self, conversation: Conversation, request: ManualRequest) -> Report:
        """Somebody clicked. The tier holds for this once."""
        order = Order(Trigger.MANUAL, request.tier or self._tier(), request.instructions)
        report, _ = await self._compact(conversation, order)
        return report

    def over_line(self, conversation: Conversation) -> bool:
        """Whether an automatic compaction is due."""
        return self.settings.enabled and self._verdict(conversation) == Verdict.COMPACT

    async def _by_flag(self, conversation: Conversation) -> Conversation:
        request = await self.signals.take_manual()
        if request is None:
            return conversation
        order = Order(Trigger.MANUAL, request.tier or self._tier(), request.instructions)
        _, conversation = await self._compact(conversation, order)
        return conversation

    async def _by_intent(self, conversation: Conversation, *, possible: bool) -> Conversation:
        """What the model asked for in this round. Consumed before it is tried: once, whatever
        comes. Not possible while a call has no result: the round is not over.
        """
        intent = await self.teaching.intent(possible=possible)
        if intent is None:
            return conversation
        if self._done:
            await self.teaching.served()
            return conversation
        order = Order(Trigger.TOOL, intent.tier, reason=intent.reason)
        try:
            report, conversation = await self._compact(conversation, order)
        except asyncio.CancelledError:
            await self.teaching.stopped()
            raise
        await self.teaching.answered(report)
        return conversation

    def _tier(self) -> str:
        return self.teaching.tier.value

    async def _keep_below_line(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        if not self.settings.enabled:
            return conversation
        await self._tell_of_floor(conversation)
        while self._due(conversation):
            order = Order(trigger, self._tier(), smallest=self._done > 0)
            report, conversation = await self._compact(conversation, order)
            if not _moved(report):
                break
        return conversation

    def _due(self, conversation: Conversation) -> bool:
        """Over the line; after a compaction that did not help enough, once more with less kept."""
        if self._done == 0:
            return self._verdict(conversation) == Verdict.COMPACT
        line = self.at_hand.line
        if line is None or self._done >= MAX_BEFORE_REQUEST:
            return False
        return self.at_hand.active(conversation) >= line

    async def _compact(
        self, conversation: Conversation, order: Order
    ) -> tuple[Report, Conversation]:
        before = self.at_hand.active(conversation)
        report, conversation = await self.compactor.compact(conversation, order, before=before)
        if _moved(report):
            self._done += 1
            self.occupancy.void()
        if not order.trigger.forced and report.outcome in {Outcome.COMPACTED, Outcome.FAILED}:
            failed = report.outcome == Outcome.FAILED
            level = report.before_tokens if failed else report.after_tokens or 0
            self.last = LastAutomatic(failed, report.saved_tokens, level)
        return report, conversation

    def _verdict(self, conversation: Conversation) -> Verdict:
        if self._is_far_below_line(conversation):
            return Verdict.BELOW_LINE
        notes = self.at_hand.notes(conversation)
        return verdict(
            Situation(
                active=self.at_hand.active(conversation, notes),
                floor=self.at_hand.floor(notes),
                window=self.at_hand.window,
                line=self.at_hand.line,
                done_before_request=self._done,
                last=self.last,
            )
        )

    def _is_far_below_line(self, conversation: Conversation) -> bool:
        """Whether no notes could bring it there, so that none need be written to know."""
        line, calibration = self.at_hand.line, self.occupancy.calibration
        most = self.at_hand.active(conversation, notes="") + MOST_NOTES_TOKENS * calibration
        return line is None or most < line

    async def _tell_of_floor(self, conversation: Conversation) -> None:
        if self._warn_floor and self._verdict(conversation) == Verdict.FLOOR_OVER_LINE:
            self._warn_floor = False
            floor = self.at_hand.floor(self.at_hand.notes(conversation))
            line = self.at_hand.line
            await self.listener.notice(
                "floor_over_line",
                Phrase(
                    "The fixed part of every request (system prompt, tools, memories, notes) has "
                    "about %(floor)s tokens and the line lies at %(line)s: compaction can't help, "
                    "so none is started automatically.",
                    floor=f"{floor:,}",
                    line=f"{line:,}",
                ),
            )


def _moved(report: Report) -> bool:
    """Whether the conversation is another one now: compacted by us, or by whoever was faster."""
    return report.outcome in {Outcome.COMPACTED, Outcome.CONFLICT}
