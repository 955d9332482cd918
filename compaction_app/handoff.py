"""What a handoff must be: the instruction, the check of the reply, its correction. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence

from agent.errors import ModelOutputInvalid
from agent.messages import ModelResponse
from agent.phrases import Phrase
from agent.prompt.templates import render

BLOCK = re.compile(r"<handoff>(.*?)</handoff>", re.DOTALL)
QUOTE = "> "
MAX_FOCUS_CHARS = 2_000  # of what the user asks a summary to attend to
SHORT_CHARS = 500  # a message up to this long is carried on whole where no word of it is quoted


def instruction(language: str, *, limit: int, focus: str = "", reason: str = "") -> str:
    """The last message of a summary request; `limit` in tokens.

    `focus` is the user's wish, `reason` the model's own: never the one in the place of the other.
    """
    wish = render(language, "handoff_focus", focus=focus) if focus else ""
    wish += render(language, "handoff_reason", reason=reason) if reason else ""
    return render(language, "handoff_instruction", limit=f"{limit:,}", focus=wish)


def correction(language: str, *, problem: str, instruction: str) -> str:
    """The same after an unusable reply, which is not shown to the model again."""
    return render(language, "handoff_correction", problem=problem, instruction=instruction)


def parse(response: ModelResponse) -> str:
    """The summary of a valid reply. Raises ModelOutputInvalid that says what is wrong with it."""
    if response.tool_calls:
        raise ModelOutputInvalid(
            Phrase("it calls the tool %(name)s", name=repr(response.tool_calls[0].name))
        )
    if response.stop_reason == "length":
        raise ModelOutputInvalid(Phrase("it was cut off by the output limit"))
    blocks = BLOCK.findall(response.text)
    tags = response.text.count("<handoff>"), response.text.count("</handoff>")
    if len(blocks) != 1 or tags != (1, 1):
        raise ModelOutputInvalid(
            Phrase("it holds %(number)s complete handoff blocks instead of one", number=len(blocks))
        )
    if BLOCK.sub("", response.text).strip():
        raise ModelOutputInvalid(Phrase("it has text outside the handoff block"))
    summary = str(blocks[0]).strip()
    if not summary:
        raise ModelOutputInvalid(Phrase("its handoff block is empty"))
    return summary


def faithful(
    summary: str,
    *,
    previous: str,
    said: Sequence[str],
    language: str,
    room: int,
    count: Callable[[str], int],
) -> str:
    """The summary with quotes of the user that hold, so that wishes neither erode nor get invented.

    A quoted line that is found neither in what the user `said` nor among the quotes of the previous
    summary is dropped. What the summary leaves out is carried on at the end: quotes of the previous
    one, and short messages without any quote; the first and the newest as far as there is `room`,
    in what `count` counts.
    """
    lines = summary.splitlines()
    # One text, searched once for a quote: a quote is a line, so it reaches into no other message.
    told = "\n".join(map(_plain, said)) if any(map(_is_quote, lines)) else ""
    carried = {_plain(quote): quote for quote in quotes(previous)}

    def holds(line: str) -> bool:
        quote = _plain(line.strip().removeprefix(QUOTE.strip()))
        return quote in carried or (quote != "" and quote in told)

    lines = [line for line in lines if not _is_quote(line) or holds(line)]
    kept = {_plain(quote) for quote in quotes("\n".join(lines))}
    missing = [quote for plain, quote in carried.items() if plain not in kept]
    missing += _not_quoted(said, kept - {""})
    missing = _first_and_newest(missing, room, count)
    text = "\n".join(lines).strip()
    if not missing:
        return text
    return f"{text}\n\n{render(language, 'handoff_carried', quotes=as_quotes(missing))}"


def quotes(summary: str) -> list[str]:
    """The user's words that a summary quotes, one a line."""
    return [line.strip()[1:].strip() for line in summary.splitlines() if _is_quote(line)]


def as_quotes(texts: Iterable[str]) -> str:
    """Texts as quoted lines; a text of several lines becomes several quotes."""
    lines = (line.strip() for text in texts for line in text.splitlines())
    return "\n".join(QUOTE + line for line in lines if line)


def _first_and_newest(texts: list[str], room: int, count: Callable[[str], int]) -> list[str]:
    """The first of the texts and as many of the newest as fit as quotes; none if not even that."""

    def left_after(text: str) -> int:
        return room - count(f"{as_quotes([text])}\n")  # line by line: each is tokenised once

    if not texts or (room := left_after(texts[0])) < 0:
        return []
    oldest = len(texts)
    while oldest > 1 and (room := left_after(texts[oldest - 1])) >= 0:
        oldest -= 1
    return [texts[0], *texts[oldest:]]


def _not_quoted(said: Iterable[str], quoted: set[str]) -> list[str]:
    """The short ones of these messages of which nothing is quoted, each text once."""
    found = {
        plain: text
        for text in said
        if len(text) <= SHORT_CHARS and (plain := _plain(text))
        if not any(quote in plain for quote in quoted)
    }
    return list(found.values())


def _is_quote(line: str) -> bool:
    return line.lstrip().startswith(QUOTE)


def _plain(text: str) -> str:
    """Without differences of white space, which a model does not keep."""
    return " ".join(text.split())
