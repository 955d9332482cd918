"""The composition of the context as a table with bars."""

from collections.abc import Iterator, Mapping
from typing import Any

from agent.prompt.labels import labels
from sessions_app.page.figures import grouped, percent
from sessions_app.terminal.bars import bar
from sessions_app.terminal.columns import fit, one_line

AFTER_TOOLS = {"handoff", "messages", "context_notes"}
LABEL, TOKENS, SHARE = 30, 11, 8  # columns
SHORTEST_BAR = 8


def table(context: Mapping[str, Any], *, width: int, language: str = "en") -> Iterator[str]:
    """The lines of the table; `context` as REST shows it, `width` in columns, `language` the
    session's.
    """
    manifest = context["manifest"]
    window = manifest["estimatedWindowTokens"] if manifest else None
    whole = max(window or 0, context["estimated"], 1)
    room = max(SHORTEST_BAR, width - LABEL - TOKENS - SHARE - 2)

    def row(label: str, tokens: int, after: str = "") -> str:
        share = percent(tokens, window)
        return f"{fit(label, LABEL)}{grouped(tokens):>{TOKENS}}{share:>{SHARE}}  {after}".rstrip()

    for label, tokens in _parts(manifest, language) if manifest else ():
        yield row(label, tokens, bar(tokens, whole, room))
    if not manifest:
        yield "The composition was too large for its frame; the totals are known."
    yield "\u2500" * (LABEL + TOKENS + SHARE)
    yield row("Estimated", context["estimated"], bar(context["estimated"], whole, room))
    yield from _totals(context, window, row)


def _parts(manifest: Mapping[str, Any], language: str) -> list[tuple[str, int]]:
    """Label and tokens in the order in which the model reads them: tools stand before history."""
    rows = [(row["key"], _label(row), row["tokens"]) for row in manifest["sections"]]
    tools = manifest["tools"]
    if tools["count"]:
        at = next((i for i, row in enumerate(rows) if row[0] in AFTER_TOOLS), len(rows))
        label = _label({"label": labels(language)["tools"], "count": tools["count"]})
        rows.insert(at, ("tools", label, tools["tokens"]))
    return [(label, tokens) for _, label, tokens in rows]


def _label(row: Mapping[str, Any]) -> str:
    label = one_line(row["label"])
    return f"{label} ({row['count']})" if "count" in row else label


def _totals(context: Mapping[str, Any], window: int | None, row: Any) -> Iterator[str]:
    actual, manifest = context["actual"], context["manifest"] or {}
    if actual:
        yield row("Measured, last response", actual)
    else:
        told = "unknown" if actual is None else "none yet"
        yield fit("Measured, last response", LABEL) + told.rjust(TOKENS)
    if window is None:
        yield fit("Window", LABEL) + "unknown".rjust(TOKENS)
        return
    yield row("Free", max(0, window - context["estimated"]))
    yield row("Window", window)
    if manifest.get("compactAtTokens"):
        yield row("Line: compaction from here on", manifest["compactAtTokens"])
