"""What one run tells its model of the tool, and hears from it: notes, intent, receipt. Pure."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agent.prompt.notes import wrap_notes
from compaction_app import compact_context
from compaction_app.compact_context import CardNumbers, RegisteredTier
from compaction_app.compactor import Report
from compaction_app.intents import Intent, Intents


@dataclass
class Teaching:
    """The side of the tool that faces one run. `briefed` False: every request carries the brief."""

    session_id: int
    language: str
    intents: Intents
    tier: RegisteredTier
    count: Callable[[str], Awaitable[None]]
    briefed: bool = False
    _last_active: int | None = None
    _receipt: str = ""

    def notes(self, *, active: int, window: int | None, line: int | None, sending: bool) -> str:
        """The block for the end of the next request, empty when there is nothing to say.

        May be asked for again until `sending`, which uses the receipt up.
        """
        self._receipt = self._receipt or self.intents.take_receipt(self.session_id)
        card = ""
        if window is not None and line is not None:
            grown = None if self._last_active is None else active - self._last_active
            numbers = CardNumbers(active, window, line, self.tier.value, grown)
            card = compact_context.card(self.language, numbers)
        brief = "" if self.briefed else compact_context.brief(self.language)
        notes = wrap_notes(brief, card, self._receipt)
        if sending:
            self._last_active, self._receipt = active, ""
        return notes

    async def intent(self, *, possible: bool) -> Intent | None:
        """The intent to act on, consumed and counted; left alone while acting is not possible."""
        self.intents.settle(self.session_id)
        await self._count_expired()
        if not possible or self.intents.peek(self.session_id) is None:
            return None
        await self.count("intents")
        return self.intents.take(self.session_id)

    def answered(self, report: Report) -> None:
        """Tell the model what became of its intent."""
        text = compact_context.receipt(self.language, report)
        self.intents.leave_receipt(self.session_id, text)

    def served(self) -> None:
        """Something else has just made room."""
        text = compact_context.not_needed(self.language, "served")
        self.intents.leave_receipt(self.session_id, text)

    async def run_ended(self) -> None:
        """An intent dies with its run; a receipt that was not sent waits for the next one."""
        if self._receipt:
            self.intents.leave_receipt(self.session_id, self._receipt)
        await self._count_expired()
        if self.intents.take(self.session_id) is not None:
            await self.count("missed")

    async def _count_expired(self) -> None:
        for _ in range(self.intents.take_expired(self.session_id)):
            await self.count("expired")
