"""A summary made without a model, for when going on without one is impossible. Pure."""

from collections.abc import Callable, Sequence

import orjson

from agent.messages import Message
from agent.prompt.templates import render
from compaction_app.handoff import as_quotes

SHOWN_ARGUMENTS = ("path", "command", "pattern", "url")
LAST_RESULTS = 5
RESULT_CHARS = 600


def extract(
    messages: Sequence[Message],
    *,
    previous: str,
    language: str,
    limit: int,
    count: Callable[[str], int],
) -> str:
    """User messages verbatim, what was touched, the last results, within `limit` tokens if
    possible.

    The previous summary is always kept whole. Parts shrink in the order results, touched, user
    messages; of each the newest stay.
    """
    said = [m.content for m in messages if m.role == "user"]
    touched = _touched(messages)
    results = [f"{m.tool_name}: {m.content[:RESULT_CHARS]}" for m in messages if m.role == "tool"]
    results = results[-LAST_RESULTS:]

    def text() -> str:
        return render(
            language,
            "handoff_extract",
            previous=f"\n{previous}\n" if previous else "",
            quotes=as_quotes(said) or "-",
            touched="\n".join(f"- {name}" for name in touched) or "-",
            results="\n".join(f"- {one}" for one in results) or "-",
        )

    whole = text()
    while count(whole) > limit and (results or len(touched) > 1 or len(said) > 1):
        shrinking = results or (touched if len(touched) > 1 else said)
        del shrinking[: max(1, len(shrinking) // 4)]
        whole = text()
    return whole


def _touched(messages: Sequence[Message]) -> list[str]:
    """What the calls named, each once, the newest last."""
    found: dict[str, None] = {}
    for message in messages:
        for call in message.tool_calls:
            for name in _arguments(call.arguments):
                found.pop(name, None)
                found[name] = None
    return list(found)


def _arguments(text: str) -> list[str]:
    try:
        arguments = orjson.loads(text)
    except orjson.JSONDecodeError:
        return []
    if not isinstance(arguments, dict):
        return []
    return [str(arguments[key])[:200] for key in SHOWN_ARGUMENTS if arguments.get(key)]
