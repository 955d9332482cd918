"""How a compaction began and ended, in one line each, in the page's words."""

from collections.abc import Mapping
from typing import Any

from django.utils import translation

from agent.text import counted
from compaction_app.words import outcome_words, trigger_words
from sessions_app.page.figures import duration, grouped
from sessions_app.terminal.columns import one_line


def started(start: Mapping[str, Any]) -> str:
    """What is about to be compacted; the data of a `compaction_start` frame."""
    messages = counted(start["messageCount"], "message")
    tokens = counted(start["estimatedTokens"], "token")
    with translation.override("en"):  # the terminal's language
        why = trigger_words(start["triggerMode"])
    return f"compacting {messages} {why}, about {tokens} ..."


def ended(end: Mapping[str, Any]) -> str:
    """What came of it; the data of a `compaction_end` frame."""
    if end["outcome"] == "compacted":
        told = (
            f"compacted: saved {counted(end['savedTokens'], 'token')}, the summary has "
            f"{grouped(end['summaryTokens'])}, took {duration(end['durationMs'])}"
        )
    else:
        with translation.override("en"):
            told = outcome_words(end["outcome"]).lower()
    return f"{told}: {one_line(end['error'])}" if end.get("error") else told
