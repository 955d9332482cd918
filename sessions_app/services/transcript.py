"""Writes messages. The one place that makes message rows; user rows come from users' own input
only.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from agent.messages import Image, Thinking, ToolCall, ToolResult
from agent.messages import Message as CoreMessage
from agent.text import clean, clean_json
from sessions_app.models import Message, ToolOutput
from sessions_app.shapes import message_shape
from sessions_app.stream import NewFrame

ID_CHARS = 200  # of a call id or tool name; longer ones are cut, in call and result alike
PLAIN_COLUMNS = ["id", "role", "content", "tool_call_id", "tool_name", "tokens", "tokenizer"]
PIECE_CHARS = 1_000_000  # of a kept output in one row: at most 4 MB, which MariaDB takes


def _name(text: str) -> str:
    return clean(text)[:ID_CHARS]


def event_key(event_id: str) -> str | None:
    """What identifies an event id in the database: its sha256, so that no collation folds two into
    one.
    """
    return hashlib.sha256(event_id.encode("utf-8", "replace")).hexdigest() if event_id else None


def user_message_create(
    *,
    session_id: int,
    execution_id: str,
    content: str,
    event_id: str,
    tokens: int,
    tokenizer: str,
) -> Message:
    """Store what a user typed."""
    return Message.objects.create(
        session_id=session_id,
        execution_id=execution_id,
        role=Message.Role.USER,
        content=content,
        event_key=event_key(event_id),
        tokens=tokens,
        tokenizer=tokenizer,
    )


def assistant_message_create(
    *,
    session_id: int,
    execution_id: str,
    message: CoreMessage,
    metadata: Mapping[str, Any] | None = None,
    tokenizer: str = "",
) -> Message:
    """Store a response; reasoning and images go to the metadata."""
    extra = dict(metadata or {})
    if message.thinking:
        extra["thinking"] = [asdict(block) for block in message.thinking]
    return Message.objects.create(
        session_id=session_id,
        execution_id=execution_id,
        role=Message.Role.ASSISTANT,
        content=clean(message.content),
        tool_calls=[
            {"id": _name(c.id), "name": _name(c.name), "arguments": clean(c.arguments)}
            for c in message.tool_calls
        ],
        metadata=clean_json(extra),
        tokens=message.tokens,
        tokenizer=tokenizer,
    )


def tool_message_create(
    *,
    session_id: int,
    execution_id: str,
    message: CoreMessage,
    result: ToolResult,
    tokenizer: str,
) -> Message:
    """Store a tool's result, and its full output where it was cut."""
    metadata: dict[str, Any] = {"durationMs": result.duration_ms}
    if result.is_error:
        metadata["isError"] = True
    if result.truncated:
        metadata["resultTruncated"] = True
    row = Message.objects.create(
        session_id=session_id,
        execution_id=execution_id,
        role=Message.Role.TOOL,
        content=clean(message.content),
        tool_call_id=_name(message.tool_call_id),
        tool_name=_name(message.tool_name),
        metadata=metadata,
        tokens=message.tokens,
        tokenizer=tokenizer,
    )
    if result.full_output is not None:
        _keep_output(row, clean(result.full_output))
    return row


def _keep_output(row: Message, output: str) -> None:
    for at in range(0, max(1, len(output)), PIECE_CHARS):
        piece = output[at : at + PIECE_CHARS]
        ToolOutput.objects.create(message=row, position=at // PIECE_CHARS, output=piece)


def to_core(row: Message, *, tokenizer: str) -> CoreMessage:
    """The row as the core's message; its count only holds for the tokenizer that made it."""
    plain = [getattr(row, column) for column in PLAIN_COLUMNS]
    return _to_core(plain, row.tool_calls, row.metadata, tokenizer)


def core_messages(rows: QuerySet[Message], *, tokenizer: str) -> Iterator[CoreMessage]:
    """The same for many rows: without model instances, and JSON read only where there is some, each
    of which would cost more than the query.
    """
    texts = rows.annotate(
        calls_text=Cast("tool_calls", TextField()), metadata_text=Cast("metadata", TextField())
    )
    for *plain, calls, metadata in texts.values_list(
        *PLAIN_COLUMNS, "calls_text", "metadata_text"
    ).iterator():
        yield _to_core(
            plain,
            [] if calls == "[]" else orjson.loads(calls),
            {} if metadata == "{}" else orjson.loads(metadata),
            tokenizer,
        )


def _to_core(
    plain: Sequence[Any], calls: list[Any], metadata: Mapping[str, Any], tokenizer: str
) -> CoreMessage:
    pk, role, content, call_id, tool_name, tokens, counted_by = plain
    return CoreMessage(
        role=role,
        content=content,
        tool_calls=tuple([ToolCall(**call) for call in calls]),
        tool_call_id=call_id,
        tool_name=tool_name,
        thinking=tuple([Thinking(**block) for block in metadata.get("thinking", ())]),
        images=tuple([Image(**image) for image in metadata.get("images", ())]),
        id=pk,
        tokens=tokens if counted_by == tokenizer else None,
    )


def assistant_message_frame(message: Message, *, request_id: int | None) -> NewFrame:
    """What pages are told of a stored assistant message."""
    data = {"messageId": message.pk, "requestId": request_id, "message": message_shape(message)}
    return NewFrame("assistant_message_saved", data)
