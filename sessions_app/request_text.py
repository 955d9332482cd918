"""The history of a past request as text for people."""

from collections.abc import Iterable

from sessions_app.models import Message

MAX_CHARS = 200_000
CUT_NOTE = f"[Earlier text is left out: these are the last {MAX_CHARS:,} characters.]\n\n"


def readable(newest_first: Iterable[Message]) -> str:
    """The messages, oldest first, one block each; `CUT_NOTE` and the last 200,000 characters if
    more.

    Reads no further back than that.
    """
    blocks: list[str] = []
    length = 0
    for message in newest_first:
        blocks.append(_block(message))
        length += len(blocks[-1])
        if length > MAX_CHARS:
            return CUT_NOTE + "".join(reversed(blocks))[-MAX_CHARS:]
    return "".join(reversed(blocks))


def _block(message: Message) -> str:
    name = f" {message.tool_name}" if message.tool_name else ""
    lines = [f"[{message.role}{name} #{message.pk}]"]
    if message.content:
        lines.append(message.content)
    lines += [f"-> {call['name']} {call['arguments']}" for call in message.tool_calls]
    return "\n".join(lines) + "\n\n"
