"""What is streaming right now in this process, for snapshots. Replaced whole, so reading needs no
lock.
"""

from dataclasses import dataclass
from typing import Any

from agent.messages import ToolCall


@dataclass(frozen=True, slots=True)
class Partial:
    """The round in progress: its request, the text so far, the calls that have no result yet."""

    request_id: int | None
    text: str = ""
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The protocol's shape of `partial`."""
        return {
            "text": self.text,
            "thinking": self.thinking,
            "toolCalls": [
                {"id": call.id, "name": call.name, "arguments": call.arguments}
                for call in self.tool_calls
            ],
            "requestId": self.request_id,
        }


_partials: dict[int, Partial] = {}
_speakers: dict[int, str] = {}  # session -> the execution that streams


def get(session_id: int) -> Partial | None:
    """The partial of a session whose run lives in this process."""
    return _partials.get(session_id)


def put(session_id: int, partial: Partial) -> None:
    """Replace the session's partial."""
    _partials[session_id] = partial


def clear(session_id: int) -> None:
    """The round or the run is over."""
    _partials.pop(session_id, None)
    _speakers.pop(session_id, None)


def speak(session_id: int, execution_id: str) -> None:
    """Show what this execution streams, and nothing any more of one that lost its claim and does
    not know it yet.
    """
    clear(session_id)
    _speakers[session_id] = execution_id


def speaks(session_id: int, execution_id: str) -> bool:
    """Whether what this execution streams is shown."""
    return _speakers.get(session_id, execution_id) == execution_id
