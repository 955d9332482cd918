"""Bars of a terminal, in eighths of a column, and the water level in one line."""

from collections.abc import Mapping
from typing import Any

from sessions_app.page.figures import short

EIGHTHS = " \u258f\u258e\u258d\u258c\u258b\u258a\u2589"
FULL, FREE, LINE = "\u2588", "\u00b7", "\u2502"
LEVEL_WIDTH = 30


def bar(part: int, whole: int, width: int) -> str:
    """`part` of `whole` in at most `width` columns; something, however little, is seen."""
    eighths = min(width * 8, round(width * 8 * part / whole)) if whole else 0
    if part > 0:
        eighths = max(1, eighths)
    full, rest = divmod(eighths, 8)
    return FULL * full + (EIGHTHS[rest] if rest else "")


def level(context: Mapping[str, Any]) -> str:
    """The data of a `context_window` frame as one line: a bar with the line in it, and the numbers.

    All are estimates, in tokens.
    """
    tokens, manifest = context["estimated"], context.get("manifest") or {}
    window, line = manifest.get("estimatedWindowTokens"), manifest.get("compactAtTokens")
    if not window:
        return f"about {short(tokens)} tokens, the window is unknown"
    filled = bar(tokens, window, LEVEL_WIDTH)
    cells = list(filled + FREE * (LEVEL_WIDTH - len(filled)))
    told = f"about {short(tokens)} of {short(window)} tokens ({tokens / window:.0%})"
    if line:
        cells[min(LEVEL_WIDTH - 1, LEVEL_WIDTH * line // window)] = LINE
        told += f", line at {short(line)}"
    return f"[{''.join(cells)}] {told}"
