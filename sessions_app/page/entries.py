"""What a conversation shows, in order: a walk over message rows that pairs calls with their
results.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from sessions_app import markdown
from sessions_app.models import Message, Session
from sessions_app.page.past_compactions import Past
from sessions_app.page.proposed import Proposed
from sessions_app.page.tool_card import ToolCard, result_card, waiting_card
from sessions_app.visible import visible

TEXT_CHARS = 12_000  # of one message in the first page; the rest is one click away
# of one message; Markdown that makes more elements than half of this is shown as it was written
MAX_TAGS = 2_000
ENDED_BADLY = {Session.Phase.FAILED, Session.Phase.CANCELLED, Session.Phase.INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened during a run and ended nothing: a notice, a repeated request."""

    execution_id: str
    kind: str  # the frame's type
    data: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, where that was not well. `error` is text for people."""

    phase: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A user's or the model's message; `text` is cut to `TEXT_CHARS` unless whole. `round` counts
    within the run.
    """

    message: Message
    text: str
    thinking: str = ""
    round: int = 0

    @property
    def html(self) -> SafeString:
        """The text as Markdown, unless that would flood the page."""
        html = markdown.render(self.text)
        if html.count("<") > MAX_TAGS:
            return format_html('<pre class="plain">{}</pre>', visible(self.text))
        return html

    @property
    def folded(self) -> bool:
        """Whether only the beginning is here."""
        return len(self.text) < len(self.message.content)


Shown = Said | ToolCard | Incident | Outcome | Past


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the conversation. `kind` names its template; `at` is the message row it stands
    with.
    """

    kind: str
    shown: "Shown"
    at: int


@dataclass(frozen=True, slots=True)
class Material:
    """Rows of one session in order of ids, and what stands between them.

    `start`: rows before this id are context only and are not shown. `rounds_before`: responses of
    the first row's run before that row. `live`: the execution id in progress, or empty. `whole`:
    nothing is folded. `proposed`: memories that tool results named, by message id. `compactions`:
    those with a line of their own, the oldest first; `dividers`: those that stand after the message
    with this id.
    """

    rows: Sequence[Message]
    start: int = 0
    rounds_before: int = 0
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    incidents: Sequence[Incident] = ()
    live: str = ""
    whole: bool = False
    proposed: Mapping[int, Proposed] = field(default_factory=dict)
    compactions: Sequence[Past] = ()
    dividers: Mapping[int, Past] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conversation:
    """`entries` stand for good; the `tail` may still change: open calls, what happened last, how it
    ended.
    """

    entries: list[Entry]
    tail: list[Entry]


def said(message: Message, *, number: int = 0, whole: bool = False) -> Said:
    """A user's or the model's message as shown."""
    blocks = message.metadata.get("thinking", [])
    thinking = "\n\n".join(block["text"] for block in blocks if block.get("text"))
    limit = None if whole else TEXT_CHARS
    return Said(message, message.content[:limit], thinking[:limit], number)


def conversation(material: Material) -> Conversation:
    """Walk the rows once."""
    walk = _Walk(material)
    for row in material.rows:
        walk.step(row)
    entries = walk.entries
    walk.entries = []
    walk.finish()
    return Conversation(entries, walk.entries)


class _Walk:
    """The state between two rows: the run, its open calls, its incidents not yet told."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.entries: list[Entry] = []
        self.execution = material.rows[0].execution_id if material.rows else ""
        self.round = material.rounds_before
        self.open: list[dict[str, str]] = []
        self.incidents = list(material.incidents)
        self.compactions = list(material.compactions)
        self.row_id = material.start

    def step(self, row: Message) -> None:
        self.row_id = row.pk
        if row.execution_id != self.execution:
            self._end_run()
            self.execution = row.execution_id
        self._tell(incident for incident in self._own_incidents() if incident.at < row.created_at)
        self._tell_compactions(before=row.created_at)
        self._say(row)
        if row.pk in self.material.dividers:
            self._emit("divider", self.material.dividers[row.pk])

    def _say(self, row: Message) -> None:
        if row.role == Message.Role.TOOL:
            call = self._answered(row.tool_call_id)
            card = result_card(row, call, whole=self.material.whole)
            proposed = self.material.proposed.get(row.pk)
            self._emit("tool", replace(card, proposed=proposed) if proposed else card)
            return
        self._close_calls()
        self.round = 0 if row.role == Message.Role.USER else self.round + 1
        self.open = list(row.tool_calls)
        self._emit(row.role, said(row, number=self.round, whole=self.material.whole))

    def finish(self) -> None:
        """What follows the last row."""
        self.row_id = max(self.row_id, self.material.start)
        if self.execution == self.material.live:
            self._close_calls(running=True)
            self._tell(self._own_incidents())
        else:
            self._end_run()
        self._tell_compactions()

    def _end_run(self) -> None:
        self._close_calls()
        self._tell(self._own_incidents())
        outcome = self.material.outcomes.get(self.execution)
        if outcome and outcome.phase in ENDED_BADLY:
            self._emit("outcome", outcome)

    def _emit(self, kind: str, shown: Shown) -> None:
        if self.row_id >= self.material.start:
            self.entries.append(Entry(kind, shown, self.row_id))

    def _own_incidents(self) -> list[Incident]:
        return [one for one in self.incidents if one.execution_id == self.execution]

    def _tell(self, incidents: Iterable[Incident]) -> None:
        for incident in list(incidents):
            self.incidents.remove(incident)
            self._emit("incident", incident)

    def _tell_compactions(self, *, before: datetime | None = None) -> None:
        """They may belong to no run: only their time says where they stand."""
        while self.compactions and (
            before is None or self.compactions[0].event.created_at < before
        ):
            self._emit("compaction", self.compactions.pop(0))

    def _answered(self, call_id: str) -> dict[str, str] | None:
        """Take the first open call of this id, as a request would pair it."""
        for index, call in enumerate(self.open):
            if call["id"] == call_id:
                return self.open.pop(index)
        return None

    def _close_calls(self, *, running: bool = False) -> None:
        for call in self.open:
            self._emit("tool", waiting_card(call, state="running" if running else "lost"))
        self.open = []
