"""How a compaction ended, in one line."""

from collections.abc import Mapping
from typing import Any

from agent.text import counted
from sessions_app.page.figures import duration, grouped
from sessions_app.terminal.columns import one_line


def started(start: Mapping[str, Any]) -> str:
    """What is about to be compacted; the data of a `compaction_start` frame."""
    messages = counted(start["messageCount"], "message")
    tokens = counted(start["estimatedTokens"], "token")
    return f"compacting {messages} ({start['triggerMode']}, about {tokens}) ..."


def ended(end: Mapping[str, Any]) -> str:
    """What came of it; the data of a `compaction_end` frame."""
    if end["outcome"] == "compacted":
        told = (
            f"compacted: saved {counted(end['savedTokens'], 'token')}, the summary has "
            f"{grouped(end['summaryTokens'])}, took {duration(end['durationMs'])}"
        )
    else:
        told = str(end["outcome"]).replace("_", " ")
    return f"{told}: {one_line(end['error'])}" if end.get("error") else told
