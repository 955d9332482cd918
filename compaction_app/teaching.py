"""What one run tells its model of the tool, and hears from it: notes, intent, receipt. Pure."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from agent.prompt.notes import wrap_notes
from compaction_app import compact_context
from compaction_app.compact_context import CardNumbers, RegisteredTier
from compaction_app.compactor import Report
from compaction_app.intents import Intent, Intents


@dataclass(frozen=True, slots=True)
class Level:
    """How full the context is, in tokens: active ones, those after the boundary, window, line."""

    active: int
    above: int
    window: int | None
    line: int | None


async def _nowhere(text: str) -> None:
    """For a session that ends with its process."""
    del text


@dataclass(slots=True)
class Receipt:
    """What the session's model is still to be told of its last intent; empty when it has been told.

    Stored at once, so that it outlives the process: the next request may be another one's.
    """

    text: str = ""
    store: Callable[[str], Awaitable[None]] = _nowhere

    async def leave(self, text: str) -> None:
        """For the next request, in place of what waits."""
        await self.store(text)
        self.text = text

    async def told(self, text: str) -> None:
        """The model has read it; another one, left since, stays."""
        if text and text == self.text:
            await self.leave("")


@dataclass
class Teaching:
    """The side of the tool that faces one run. `briefed` False: every request carries the brief."""

    session_id: int
    language: str
    intents: Intents
    tier: RegisteredTier
    count: Callable[[str], Awaitable[None]]
    briefed: bool = False
    receipt: Receipt = field(default_factory=Receipt)
    _last_active: int | None = None  # of the last request that was answered
    _sent: tuple[int, str] | None = None  # active tokens and receipt of one without an answer yet
    _rendered: tuple[CardNumbers, str] | None = None  # the last card: it is asked for repeatedly

    def notes(self, level: Level, *, sending: bool) -> str:
        """The block for the end of the next request, empty when there is nothing to say.

        May be asked for any number of times; `sending` says that a request goes out with it.
        """
        receipt = self.receipt.text
        brief = "" if self.briefed else compact_context.brief(self.language)
        if sending:
            self._sent = (level.active, receipt)
        return wrap_notes(brief, self._card(level), receipt)

    def _card(self, level: Level) -> str:
        if level.window is None or level.line is None:
            return ""
        if level.active < compact_context.CARD_FROM * level.window:
            return ""
        grown = None if self._last_active is None else level.active - self._last_active
        numbers = CardNumbers(
            active=level.active,
            above=level.above,
            window=level.window,
            line=level.line,
            tier=self.tier.value,
            grown=grown,
        )
        if self._rendered is None or self._rendered[0] != numbers:
            self._rendered = numbers, compact_context.card(self.language, numbers)
        return self._rendered[1]

    async def heard(self) -> None:
        """The model has answered, so the receipt of its request has reached it.

        Not before: a request that fails takes its receipt along into the next one.
        """
        if self._sent is not None:
            self._last_active, receipt = self._sent
            self._sent = None
            await self.receipt.told(receipt)

    def settle(self) -> None:
        """The round's last result is in: its intent ages from now on."""
        self.intents.settle(self.session_id)

    async def intent(self, *, possible: bool) -> Intent | None:
        """The intent to act on, consumed and counted; left alone while acting is not possible."""
        await self._count_expired()
        if not possible or self.intents.peek(self.session_id) is None:
            return None
        await self.count("intents")
        return self.intents.take(self.session_id)

    async def answered(self, report: Report) -> None:
        """Tell the model what became of its intent."""
        await self.receipt.leave(compact_context.receipt(self.language, report))

    async def served(self) -> None:
        """Something else has just made room."""
        await self.receipt.leave(compact_context.not_needed(self.language, "served"))

    async def stopped(self) -> None:
        """The run was stopped while it was acting on the intent."""
        await self._too_late("run_ended")

    async def drop_intent(self) -> None:
        """An intent dies with its run: counted as missed, and said in the next request."""
        await self._count_expired()
        if self.intents.take(self.session_id) is not None:
            await self._too_late("run_ended")
            await self.count("missed")

    async def _count_expired(self) -> None:
        for _ in range(self.intents.take_expired(self.session_id)):
            await self._too_late("lapsed")
            await self.count("expired")

    async def _too_late(self, why: str) -> None:
        await self.receipt.leave(compact_context.not_executed(self.language, why))
