"""The rehearsal model's handoff: an extract, no summary, within the tokens it is allowed."""

import re
from collections.abc import Sequence

from agent.clients.rehearsal_notes import pending_lines
from agent.clients.rehearsal_plan import Plan, Result
from agent.clients.rehearsal_words import CHINESE, ENGLISH, Words, counting
from agent.request import ModelRequest
from agent.tokens import TokenEstimator

LAST_RESULTS = 3
RESULT_CHARS = 200
RESERVED_TOKENS = 40  # for the tags and what a seam may cost
QUOTE, FOREIGN = "> ", "| "  # before each line of a user message, of a summary by someone else

_FILES = re.compile(r"^(?:Files touched: |涉及文件：)(.+)", re.MULTILINE)
_TAG = re.compile(r"<(?=/?handoff)", re.IGNORECASE)


class Room:
    """Tokens that may still be used."""

    def __init__(self, estimator: TokenEstimator, tokens: int) -> None:
        self._estimator = estimator
        self.left = tokens

    def take(self, line: str) -> bool:
        """Whether this line has room; then it is counted."""
        tokens = self._estimator.text(line) + 1
        if tokens > self.left:
            return False
        self.left -= tokens
        return True

    def cut(self, text: str) -> str:
        """The text, or as much of its beginning as there is room for."""
        while text and not self.take(text):
            share = max(self.left, 0) / (self._estimator.text(text) + 1)
            text = text[: int(len(text) * min(share, 0.9))]
        return text


def write_handoff(request: ModelRequest, plan: Plan, words: Words) -> str:
    """Exactly one `<handoff>` block: user messages, files, progress, last results, what is left.

    What is pending comes first when room is scarce, then progress, the newest user messages, the
    files and the results.
    """
    estimator = TokenEstimator(request.spec.tokenizer)
    room = Room(estimator, request.max_output_tokens - RESERVED_TOKENS)
    counts = plan.counts
    so_far = counting(words, "so_far", counts.calls).format(
        calls=counts.calls, failed=counts.failed, cut=counts.cut
    )
    room.take(words["extract"] + so_far + words["users"] + words["results"])
    pending = _pending(plan, words, room)
    said = _user_lines(request, room)
    files = room.cut(", ".join(_files(request)))
    results = [room.cut(line) for line in _result_lines(plan.results)]
    lines = [
        words["extract"],
        *([words["users"], *said, ""] if said else []),  # the blank line ends the quote
        *([words["files"] + files] if files else []),
        so_far,
        *([words["results"], *filter(None, results)] if any(results) else []),
        *pending,
    ]
    return "<handoff>\n" + _TAG.sub("‹", "\n".join(lines)) + "\n</handoff>"


def _pending(plan: Plan, words: Words, room: Room) -> list[str]:
    lines = [line for task in plan.tasks for line in pending_lines(task, words)]
    kept = [line for line in lines if room.take(line)]
    if len(kept) < len(lines):
        count = len(lines) - len(kept)
        kept.append(counting(words, "left_out", count).format(count=count))
    return kept or [words["nothing"]]


def _user_lines(request: ModelRequest, room: Room) -> list[str]:
    """Earlier handoff's quotes and the messages since, oldest first; the oldest are cut first."""
    carried = _carried(request.conversation.summary)
    blocks = [carried] if carried else []
    for message in request.messages:
        if message.role == "user":
            blocks.append("\n".join(QUOTE + line for line in message.content.splitlines()))
    kept = [room.cut(block) for block in reversed(blocks)]
    return [block for block in reversed(kept) if block]


def _carried(summary: str) -> str:
    """What a new extract keeps of this summary: the quotes; of someone else's every line."""
    lines = [line for line in summary.splitlines() if line.strip()]
    quotes = [line for line in lines if line.startswith((QUOTE, FOREIGN))]
    if lines[:1] in ([ENGLISH["extract"]], [CHINESE["extract"]]):
        return "\n".join(quotes)
    return "\n".join(line if line in quotes else FOREIGN + line for line in lines)


def _files(request: ModelRequest) -> list[str]:
    """Files named in calls, those of the earlier handoff first, each once."""
    found = [
        name for line in _FILES.findall(request.conversation.summary) for name in line.split(", ")
    ]
    for message in request.messages:
        for result in (Result(call, None) for call in message.tool_calls):
            path = result.arguments.get("path")
            if isinstance(path, str) and path:
                found.append(" ".join(path.split()))
    return list(dict.fromkeys(found))


def _result_lines(results: Sequence[Result]) -> list[str]:
    shown = [result for result in results if result.text is not None][-LAST_RESULTS:]
    return [
        f"- {result.subject}: {' '.join(str(result.text).split())[:RESULT_CHARS]}"
        for result in shown
    ]
