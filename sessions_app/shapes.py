"""The JSON shapes that REST and frames share."""

from typing import Any

from sessions_app.models import Message


def time_text(moment: Any) -> str:
    """ISO 8601 in UTC with microseconds and Z."""
    return str(moment.isoformat()).replace("+00:00", "Z")


def message_shape(message: Message, *, compacted: bool = False) -> dict[str, Any]:
    """A message as REST and frames show it."""
    return {
        "id": message.pk,
        "role": message.role,
        "content": message.content,
        "toolCalls": message.tool_calls,
        "toolCallId": message.tool_call_id or None,
        "toolName": message.tool_name or None,
        "metadata": message.metadata,
        "tokens": message.tokens,
        "compacted": compacted,
        "createdAt": time_text(message.created_at),
    }
