"""How a compaction ended, in one line."""

from collections.abc import Mapping
from typing import Any

from sessions_app.page.figures import duration, grouped
from sessions_app.terminal.columns import one_line


def started(start: Mapping[str, Any]) -> str:
    """What is about to be compacted; the data of a `compaction_start` frame."""
    count, tokens = start["messageCount"], grouped(start["estimatedTokens"])
    return f"compacting {count} messages ({start['triggerMode']}, about {tokens} tokens) ..."


def ended(end: Mapping[str, Any]) -> str:
    """What came of it; the data of a `compaction_end` frame."""
    if end["outcome"] == "compacted":
        told = (
            f"compacted: saved {grouped(end['savedTokens'])} tokens, the summary has "
            f"{grouped(end['summaryTokens'])}, took {duration(end['durationMs'])}"
        )
    else:
        told = str(end["outcome"]).replace("_", " ")
    return f"{told}: {one_line(end['error'])}" if end.get("error") else told
