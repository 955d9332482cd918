"""Rows as a run would leave them, for the tests of the pages."""

from typing import Any

import orjson

from sessions_app.models import Message, RequestLog, Run, Session

MANIFEST: dict[str, Any] = {
    "sections": [
        {"key": "persona", "label": "Persona", "tokens": 300},
        {"key": "memories", "label": "Long-term memory", "tokens": 100, "count": 2},
        {"key": "environment", "label": "Environment", "tokens": 200},
        {"key": "messages", "label": "Messages", "tokens": 3_000, "count": 7},
        {"key": "context_notes", "label": "Notes", "tokens": 50},
    ],
    "memoryIds": [],
    "estimatedWindowTokens": 10_000,
    "tools": {"tokens": 350, "count": 3},
    "compactAtTokens": 8_000,
    "requestId": 1,
}
ESTIMATED = 4_000


def say(session: Session, role: str, content: str = "", **fields: Any) -> Message:
    """Store a message, of the execution `e1` unless said otherwise."""
    values = {"execution_id": "e1", **fields}
    return Message.objects.create(session=session, role=role, content=content, **values)


def call(id_: str, name: str = "read_file", **arguments: Any) -> dict[str, str]:
    """A tool call as stored with its response."""
    return {"id": id_, "name": name, "arguments": orjson.dumps(arguments).decode()}


def answer(session: Session, id_: str, result: Any = None, **fields: Any) -> Message:
    """Store the result of a call."""
    text = orjson.dumps(result or {"content": "x"}).decode()
    return say(session, "tool", text, tool_call_id=id_, tool_name="read_file", **fields)


def ask(session: Session, text: str = "Do it.", **fields: Any) -> Message:
    """Store a user's message and its run; `phase` and `error` are the run's."""
    run = {key: fields.pop(key) for key in ("phase", "error") if key in fields}
    message = say(session, "user", text, **fields)
    Run.objects.create(session=session, execution_id=message.execution_id, message=message, **run)
    return message


def push(
    session: Session, *, active: int = ESTIMATED, estimated: int = ESTIMATED, **changes: Any
) -> None:
    """Store a context push on the session, `MANIFEST` with `changes`."""
    data = {"estimated": estimated, "actual": None, "manifest": {**MANIFEST, **changes}}
    session.context_frame = orjson.dumps(data).decode()
    session.context_tokens = active
    session.save(update_fields=["context_frame", "context_tokens"])


def requested(session: Session, **fields: Any) -> RequestLog:
    """Store a row of the request log."""
    return RequestLog.objects.create(
        session=session, execution_id="e1", **{"estimated": ESTIMATED, **fields}
    )
