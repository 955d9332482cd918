"""The history chart: what each request was made of, what was measured, where it was compacted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compaction_app.models import SessionCompactionEvent
from compaction_app.words import trigger_words
from sessions_app.models import RequestLog, Session
from sessions_app.page.composition import kind_of, part_names
from sessions_app.page.figures import grouped, short
from sessions_app.request_detail import wire_parts

CHARTED = 60  # requests in one picture
WIDTH, HEIGHT = 372, 96  # of the plot, in units of the SVG
TOP = 14  # room for the line's words
WIDEST_SLOT = 18
GAP_SHARE = 0.22  # of a slot
HEADROOM = 1.06
UNKNOWN = "–"  # the provider did not report it
FAR = 4  # a line this many times above everything is told in words instead of drawn

# From the bottom of a bar to its top.
KINDS: dict[str, Promise] = {
    "prompt": gettext_lazy("System prompt"),
    "tools": gettext_lazy("Tool definitions"),
    "memory": gettext_lazy("Long-term memory"),
    "rules": gettext_lazy("Workspace rules"),
    "handoff": gettext_lazy("Handoff summary"),
    "messages": gettext_lazy("Messages"),
    "notes": gettext_lazy("Notes to the model"),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One request: estimated tokens by kind, and its place from the left in units of the SVG."""

    log: RequestLog
    kinds: Mapping[str, int]
    x: float
    width: float

    @property
    def told(self) -> str:
        """What the request was made of, in words."""
        return " · ".join(f"{KINDS[kind]} {grouped(tokens)}" for kind, tokens in self.kinds.items())

    @property
    def title(self) -> str:
        """All of its numbers, in words."""
        measured = UNKNOWN if self.log.actual is None else grouped(self.log.actual)
        numbers = {"estimated": grouped(self.log.estimated), "measured": measured}
        words = _("estimated %(estimated)s · measured %(measured)s") % numbers
        return f"#{self.log.pk} · {words} · {self.told}"


@dataclass(frozen=True, slots=True)
class Mark:
    """A compaction, before the request at `x`."""

    event: SessionCompactionEvent
    x: float

    @property
    def trigger(self) -> str:
        """Who or what caused it, in words."""
        return trigger_words(self.event.trigger_mode)


@dataclass(frozen=True, slots=True)
class Chart:
    """`top` tokens are at the upper edge. `line`: where the session compacts now, None if unknown;
    `older`: the id of the oldest request shown when there are more before it.
    """

    bars: list[Bar]
    marks: list[Mark]
    top: int
    line: int | None
    older: int | None

    @property
    def height(self) -> int:
        """Of the plot with what stands above it."""
        return TOP + HEIGHT

    @property
    def line_y(self) -> float | None:
        """Where the line is drawn, None when it is unknown or far above."""
        return self._y(self.line) if self.line is not None and self.line <= self.top else None

    @property
    def caption(self) -> str:
        """The line in words."""
        if self.line is None:
            return ""
        if self.line_y is None:
            return _("line at %(tokens)s, far above") % {"tokens": short(self.line)}
        return _("compaction line %(tokens)s") % {"tokens": short(self.line)}

    @property
    def paths(self) -> list[tuple[str, str]]:
        """Each kind with one path for all of its boxes: an element each would flood the page."""
        drawn: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for bar in self.bars:
            below = 0
            for kind, tokens in bar.kinds.items():
                drawn[kind].append(self._box(bar, below, below + tokens))
                below += tokens
        return [(kind, "".join(boxes)) for kind, boxes in drawn.items() if boxes]

    @property
    def measured(self) -> str:
        """A path with a tick across each bar whose request was measured."""
        return "".join(
            f"M{bar.x - 1:.1f} {self._y(bar.log.actual):.1f}h{bar.width + 2:.1f}"
            for bar in self.bars
            if bar.log.actual is not None
        )

    def _box(self, bar: Bar, low: int, high: int) -> str:
        lower, upper = self._y(low), self._y(high)
        return f"M{bar.x:.1f} {upper:.1f}h{bar.width:.1f}v{lower - upper:.1f}h-{bar.width:.1f}z"

    def _y(self, tokens: int) -> float:
        return round(TOP + HEIGHT * (1 - tokens / self.top), 1)


def logged(session: Session, *, before: int | None = None) -> list[RequestLog]:
    """The newest requests (before an id), newest first: `CHARTED`, and one more if there is."""
    rows = RequestLog.objects.filter(session_id=session.pk).defer("manifest")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return list(rows[: CHARTED + 1])


def chart(session: Session, newest_first: Sequence[RequestLog], *, line: int | None) -> Chart:
    """The last `CHARTED` run requests of those given, of which one more says that there are
    more.
    """
    shown = [log for log in newest_first[:CHARTED] if log.kind == RequestLog.Kind.RUN][::-1]
    bars = _bars(shown)
    highest = max((_tallest(bar) for bar in bars), default=0)
    drawn = line is not None and line <= FAR * highest
    top = max(1, round(HEADROOM * max(highest, (line or 0) if drawn else 0)))
    older = newest_first[CHARTED - 1].pk if len(newest_first) > CHARTED else None
    return Chart(bars, _marks(session, bars), top, line, older)


def _bars(logs: Sequence[RequestLog]) -> list[Bar]:
    slot = min(WIDEST_SLOT, WIDTH / max(len(logs), 1))
    width = slot * (1 - GAP_SHARE)
    return [
        Bar(log, _kinds(log), round(number * slot, 1), round(width, 1))
        for number, log in enumerate(logs)
    ]


def _kinds(log: RequestLog) -> dict[str, int]:
    tokens = dict.fromkeys(KINDS, 0)
    for part in wire_parts(log, part_names()):
        tokens[kind_of(part.key)] += part.tokens
    return {kind: number for kind, number in tokens.items() if number}


def _tallest(bar: Bar) -> int:
    return max(sum(bar.kinds.values()), bar.log.actual or 0)


def _marks(session: Session, bars: Sequence[Bar]) -> list[Mark]:
    """The compactions that moved the boundary since the oldest bar; the newest of them at most."""
    if not bars:
        return []
    events = SessionCompactionEvent.objects.filter(
        session_id=session.pk, outcome="compacted", created_at__gte=bars[0].log.created_at
    ).defer("summary_text", "error")[:CHARTED]
    return [Mark(event, _place(event.created_at, bars)) for event in reversed(events)]


def _place(moment: datetime, bars: Sequence[Bar]) -> float:
    """Between the bars where it happened."""
    end = bars[-1].x + bars[-1].width
    return next((bar.x for bar in bars if bar.log.created_at > moment), end)
