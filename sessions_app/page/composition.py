"""The composition of the window: what the manifest says, as bar, list and proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agent.prompt.labels import labels
from sessions_app.models import RequestLog, Session
from sessions_app.page.figures import signed_percent
from sessions_app.request_diff import Part as WirePart

# The kind of context a section belongs to: one colour each, the same in bar, list, chart, chips and
# dividers.
KINDS = {
    "tools": "tools",
    "memories": "memory",
    "workspace_rules": "rules",
    "handoff": "handoff",
    "messages": "messages",
    "context_notes": "notes",
}
RESERVED_SHARE = 5  # at most a fifth of the window is kept for the answer
AFTER_TOOLS = {"handoff", "messages", "context_notes"}
COMPACTED = {"handoff", "messages"}  # the kinds that a compaction can make smaller


@dataclass(frozen=True, slots=True)
class Part:
    """One row of the list; tokens are an estimate."""

    key: str
    label: str
    kind: str
    tokens: int
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the bar, in percent of its width."""

    kind: str
    label: str
    tokens: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The last request that its provider measured: prompt tokens, and the estimate of that same
    request. `earlier`: what is shown around it has changed since.
    """

    request_id: int
    actual: int
    estimated: int
    earlier: bool = False

    @property
    def deviation(self) -> str:
        """How far the estimate is from the measurement, in percent with a sign."""
        return signed_percent(self.estimated, self.actual)


@dataclass(frozen=True, slots=True)
class Composition:
    """Numbers of the last push. `active` decides about compaction: the larger of estimate and
    measurement, with what came since. `estimated` is what the manifest's parts add up to, and what
    the gauge shows.

    `window`, `line`, `reserved` are None or 0 when unknown. All in tokens.
    """

    active: int
    estimated: int
    window: int | None
    line: int | None
    reserved: int
    parts: tuple[Part, ...] = ()
    memory_ids: tuple[int, ...] = ()
    measured: Measured | None = None
    reconstructed: bool = False
    by_size: bool = False

    @property
    def parts_tokens(self) -> int:
        """Sum of the list."""
        return sum(part.tokens for part in self.parts)

    @property
    def unattributed(self) -> int:
        """What the list does not explain; 0, or the manifest is wrong."""
        return self.estimated - self.parts_tokens

    @property
    def listed(self) -> tuple[Part, ...]:
        """The parts as the list shows them: in the order of the request, or the largest first."""
        if not self.by_size:
            return self.parts
        return tuple(sorted(self.parts, key=lambda part: -part.tokens))

    @property
    def floor(self) -> int:
        """Tokens that no compaction can remove: system prompt, tools, memories, notes."""
        return sum(part.tokens for part in self.parts if part.kind not in COMPACTED)

    @property
    def floor_over_line(self) -> bool:
        """Whether compacting can't help."""
        return self.line is not None and self.floor >= self.line

    @property
    def share(self) -> str:
        """The gauge: estimated tokens in whole percent of the window, empty if unknown."""
        return f"{round(100 * self.estimated / self.window)}%" if self.window else ""

    @property
    def over_line(self) -> int | None:
        """Tokens over the line, None when under it or unknown."""
        return -self.to_line if self.to_line is not None and self.to_line < 0 else None

    @property
    def to_line(self) -> int | None:
        """Tokens left before a compaction; negative when over the line."""
        return None if self.line is None else self.line - self.active

    @property
    def scale(self) -> int:
        """Tokens that the whole bar stands for; more than the window when that is overfull or
        unknown.
        """
        return max(self.window or 0, self.estimated, 1)

    @property
    def line_x(self) -> float | None:
        """Where the line stands in the bar, in percent."""
        return None if self.line is None else round(100 * self.line / self.scale, 3)

    @property
    def segments(self) -> list[Segment]:
        """The bar from left to right: each kind of context once, then what is free and reserved."""
        room = max(0, (self.window or 0) - self.estimated)
        reserved = min(self.reserved, room)
        stretches: dict[str, tuple[str, int]] = {}
        for part in self.parts:
            label, tokens = stretches.get(part.kind, (part.label, 0))
            stretches[part.kind] = (_("System prompt") if tokens else label, tokens + part.tokens)
        stretches["free"] = (_("Free"), room - reserved)
        stretches["reserved"] = (_("Reserved for the answer"), reserved)
        return self._placed(stretches)

    def _placed(self, stretches: Mapping[str, tuple[str, int]]) -> list[Segment]:
        segments: list[Segment] = []
        start = 0
        for kind, (label, tokens) in stretches.items():
            x = round(100 * start / self.scale, 3)
            width = round(100 * (start + tokens) / self.scale - x, 3)
            if tokens:
                segments.append(Segment(kind, label, tokens, x, width))
            start += tokens
        return segments


def water_level(session: Session) -> int | None:
    """The gauge: estimated tokens of the last push, None before the first request."""
    return orjson.loads(session.context_frame)["estimated"] if session.context_frame else None


def composition(
    session: Session, requests: Sequence[RequestLog], *, by_size: bool = False
) -> Composition | None:
    """What was pushed last for this session, None before the first request. `requests`: newest
    first; `by_size`: the list begins with the largest part.
    """
    if not session.context_frame:
        return None
    frame = orjson.loads(session.context_frame)
    manifest = frame.get("manifest") or {}
    window = manifest.get("estimatedWindowTokens", session.window_tokens)
    return Composition(
        active=session.context_tokens or frame["estimated"],
        estimated=frame["estimated"],
        window=window,
        line=manifest.get("compactAtTokens"),
        reserved=_reserved(session, window),
        parts=_parts(manifest),
        memory_ids=tuple(manifest.get("memoryIds", ())),
        measured=_measured(requests, frame),
        reconstructed=manifest.get("reconstructed", False),
        by_size=by_size,
    )


def logged_composition(session: Session, log: RequestLog, parts: Sequence[WirePart]) -> Composition:
    """The composition of one logged request; `parts` in wire order."""
    manifest = orjson.loads(log.manifest) if log.manifest else {}
    counts = {row["key"]: row.get("count") for row in manifest.get("sections", ())}
    counts["tools"] = (manifest.get("tools") or {}).get("count")
    window = manifest.get("estimatedWindowTokens", session.window_tokens)
    return Composition(
        active=log.estimated,
        estimated=log.estimated,
        window=window,
        line=manifest.get("compactAtTokens"),
        reserved=_reserved(session, window),
        parts=tuple(
            Part(part.key, part.label, kind_of(part.key), part.tokens, counts.get(part.key))
            for part in parts
        ),
        measured=None if log.actual is None else Measured(log.pk, log.actual, log.estimated),
        reconstructed=manifest.get("reconstructed", False),
    )


def kind_of(key: str) -> str:
    """The kind of context that the part with this key is."""
    return KINDS.get(key, "prompt")


def _reserved(session: Session, window: int | None) -> int:
    if session.model is None or window is None:
        return 0
    return min(session.model.max_output_tokens, window // RESERVED_SHARE)


def part_names() -> dict[str, str]:
    """The parts' names by key in the page's language; the manifest has them in the session's."""
    return labels(get_language() or "en")


def _parts(manifest: Mapping[str, Any]) -> tuple[Part, ...]:
    """Tools stand where their definitions are read: after the system prompt, before the history."""
    names = part_names()
    rows = [
        Part(
            row["key"],
            names.get(row["key"], row["label"]),
            kind_of(row["key"]),
            row["tokens"],
            row.get("count"),
        )
        for row in manifest.get("sections", ())
    ]
    tools = manifest.get("tools")
    if tools and tools["count"]:
        place = next((i for i, row in enumerate(rows) if row.key in AFTER_TOOLS), len(rows))
        rows.insert(place, Part("tools", names["tools"], "tools", tools["tokens"], tools["count"]))
    return tuple(rows)


def _measured(requests: Sequence[RequestLog], frame: Mapping[str, Any]) -> Measured | None:
    """Of the newest request that was measured; `frame` is the last push."""
    now = ((frame.get("manifest") or {}).get("requestId"), frame["estimated"])
    for row in requests:
        if row.kind == RequestLog.Kind.RUN and row.actual is not None:
            earlier = now != (row.pk, row.estimated)
            return Measured(row.pk, row.actual, row.estimated, earlier)
    return None
