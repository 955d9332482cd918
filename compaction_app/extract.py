"""A summary made without a model, for when going on without one is impossible. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import orjson

from agent.messages import Message
from agent.prompt.templates import render
from compaction_app.handoff import as_quotes

SHOWN_ARGUMENTS = ("path", "command", "pattern", "url")
LAST_RESULTS = 5
RESULT_CHARS = 600
LEAST_TOKENS = 60  # a user message is not shortened to less while others can be left out
MOST_CHARS_A_TOKEN = 16  # of a text that is worth counting; a longer one is shortened unseen


@dataclass
class Parts:
    """What an extract is made of; each list from the oldest to the newest."""

    previous: str
    said: list[str]
    touched: list[str]
    results: list[str]

    def text(self, language: str) -> str:
        """The extract."""
        return render(
            language,
            "handoff_extract",
            previous=f"\n{self.previous}\n" if self.previous else "",
            quotes=as_quotes(self.said) or "-",
            touched="\n".join(f"- {name}" for name in self.touched) or "-",
            results="\n".join(f"- {one}" for one in self.results) or "-",
        )


def extract(
    messages: Sequence[Message],
    *,
    previous: str,
    language: str,
    limit: int,
    count: Callable[[str], int],
) -> str:
    """User messages verbatim, what was touched, the last results, and the previous summary, within
    `limit` tokens (or as many as an empty extract has).

    Parts shrink in the order results, touched, user messages; of each the newest stay. A message
    that is too long, and a previous summary that leaves the messages less than a quarter, are
    shortened and say so.
    """

    def short(text: str, room: int) -> str:
        return shortened(text, room, language=language, count=count)

    parts = Parts(
        previous=previous,
        said=[short(m.content, limit) for m in messages if m.role == "user"],
        touched=_touched(messages),
        results=[
            f"{m.tool_name}: {m.content[:RESULT_CHARS]}" for m in messages if m.role == "tool"
        ][-LAST_RESULTS:],
    )
    for each in _shrinking(parts, limit, short):
        whole = each.text(language)
        if count(whole) <= limit:
            break
    return whole


def shortened(text: str, room: int, *, language: str, count: Callable[[str], int]) -> str:
    """The text, in `room` tokens: where it has more, its beginning and its end around a mark that
    says how much is missing; empty where not even the mark has room.
    """
    if len(text) <= room * MOST_CHARS_A_TOKEN and count(text) <= room:
        return text
    kept = min(len(text), room * MOST_CHARS_A_TOKEN)
    while kept > 0:
        kept = kept * 3 // 4
        head, left_out = kept * 2 // 3, len(text) - kept
        mark = render(language, "handoff_shortened", number=f"{left_out:,}")
        short = f"{text[:head]} {mark} {text[head + left_out :]}".strip()
        if count(short) <= room:
            return short
    return ""


def _shrinking(parts: Parts, limit: int, short: Callable[[str, int], str]) -> Iterator[Parts]:
    """The parts, smaller each time, down to nothing."""
    yield parts
    yield from _without_oldest(parts, parts.results, least=0)
    yield from _without_oldest(parts, parts.touched, least=1)
    previous, said, share = parts.previous, parts.said, limit
    parts.previous = short(previous, limit * 3 // 4)
    yield parts
    while (share := share // 2) >= LEAST_TOKENS:
        parts.said = [short(text, share) for text in said]
        yield parts
    yield from _without_oldest(parts, parts.said, least=1)
    parts.touched = []
    yield parts
    room = limit
    while room := room * 3 // 4:
        parts.previous, parts.said = short(previous, room), [short(t, room) for t in said[-1:]]
        yield parts
    yield Parts("", [], [], [])


def _without_oldest(parts: Parts, shrinking: list[str], *, least: int) -> Iterator[Parts]:
    while len(shrinking) > least:
        del shrinking[: max(1, min(len(shrinking) // 4, len(shrinking) - least))]
        yield parts


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
