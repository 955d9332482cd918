"""Gives the stored handoff summary to the model: as history, made at request time."""

from agent.prompt.quoting import fenced, plain_newlines
from agent.prompt.templates import render
from agent.text import clean


def wrap_handoff(summary: str, language: str) -> str:
    """The message that carries the summary, "" for a blank one.

    It says that it is history, overrides no rule, and that later user messages win. The summary
    stands in a fenced block that it can't end, unchanged but for line ends. The tag `<handoff>` is
    not in the frame: only the request for a new summary names it. Raises ValueError for a language
    that is not known.
    """
    text = plain_newlines(clean(summary)).strip()
    return render(language, "handoff", summary=fenced(text)) if text else ""
