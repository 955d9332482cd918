"""From a `ModelRequest` to the body of a Chat Completions request. Pure; no SDK, no network."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from agent.messages import Image, Message, ToolCall, ToolDefinition
from agent.request import ModelRequest
from agent.text import clean, clean_json

Wire = dict[str, Any]
NAME_CHARS = 64  # of a tool's name, OpenAI's limit
ID_CHARS = 40  # of a call's id, OpenAI's limit
EMPTY = "(empty)"  # several servers refuse a message without text
_VALID_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_INVALID_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")


def request_body(request: ModelRequest, *, own_api: bool, history: Sequence[object]) -> Wire:
    """The body to send, streamed and with usage; empty fields are not there.

    `history` is the wire form of the request's messages, by `wire_history` or a `MessageCache`.
    `own_api` says that the server is OpenAI itself: its reasoning models know only
    `max_completion_tokens`, while compatible servers know `max_tokens`, some of them nothing else.
    """
    before = _texts(("system", request.system), ("user", request.handoff))
    after = _texts((request.spec.notes_role, request.notes), ("user", request.instruction))
    body: Wire = {
        "model": request.spec.model_id,
        "messages": [*before, *history, *after],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens" if own_api else "max_tokens": request.max_output_tokens,
    }
    if request.tools:
        body["tools"] = [wire_tool(tool) for tool in request.tools]
    return body


def wire_history(messages: Iterable[Message], *, vision: bool) -> list[Wire]:
    """The messages that are sent, in order."""
    converted = (wire_message(message, vision=vision) for message in messages)
    return [wire for wire in converted if wire is not None]


def wire_message(message: Message, *, vision: bool) -> Wire | None:
    """One message of the history, None for an assistant message without text and calls.

    Reasoning is not sent: Chat Completions has no place for it.
    """
    if message.role == "tool":
        return {
            "role": "tool",
            "tool_call_id": wire_id(message.tool_call_id),
            "content": _text_with_placeholders(message),
        }
    if message.role == "user":
        return {"role": "user", "content": _user_content(message, vision=vision)}
    wire: Wire = {"role": "assistant"}
    if message.content:
        wire["content"] = clean(message.content)
    if message.tool_calls:
        wire["tool_calls"] = [_wire_call(call) for call in message.tool_calls]
    return wire if len(wire) > 1 else None


class MessageCache:
    """The history of the last request, converted and serialised; a longer one costs its new part.

    A run hands over the same frozen objects with every request, so that comparing the beginnings
    is comparing pointers. Belongs to one client and holds one request's messages.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._fragments: list[orjson.Fragment] = []
        self._vision = False

    def history(self, messages: Sequence[Message], *, vision: bool) -> list[orjson.Fragment]:
        """The same as `wire_history`, each message as the JSON text that `orjson.dumps` copies."""
        given = list(messages[:])  # a slice: a sequence in Python would be walked item by item
        known = len(self._messages)
        if vision != self._vision or given[:known] != self._messages:
            self._fragments, known = [], 0
        fresh = wire_history(given[known:], vision=vision)
        self._fragments = [*self._fragments, *(orjson.Fragment(orjson.dumps(w)) for w in fresh)]
        self._messages, self._vision = given, vision
        return self._fragments


def wire_name(name: str) -> str:
    """The tool's name as every provider takes it: itself, or cleaned and with a hash of itself.

    The hash keeps two names apart that differ in refused characters only.
    """
    if _VALID_NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{_INVALID_CHARACTER.sub('_', name)[: NAME_CHARS - 9]}_{digest}"


def names_on_return(tools: Iterable[ToolDefinition]) -> dict[str, str]:
    """Wire name -> our name, for the tools whose name had to be changed."""
    return {wire_name(tool.name): tool.name for tool in tools if wire_name(tool.name) != tool.name}


def wire_id(call_id: str) -> str:
    """A call's id, shortened to a hash where it is too long; the same for a call and its result."""
    if len(call_id) <= ID_CHARS:
        return clean(call_id)
    return hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:ID_CHARS]


def wire_arguments(raw: str) -> str:
    """The arguments as a JSON object, which is all that servers accept in a history.

    What doesn't parse to an object is wrapped: `{"invalid_arguments": raw}`; nothing is `{}`.
    """
    if raw.strip() in {"", "null"}:
        return "{}"
    try:
        if isinstance(orjson.loads(raw), dict):
            return raw
    except ValueError:  # maybe half a surrogate pair or NaN, which Python's reader lets through
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return orjson.dumps(clean_json(value)).decode()
    return orjson.dumps({"invalid_arguments": clean(raw)}).decode()


def wire_tool(tool: ToolDefinition) -> Wire:
    """A tool definition; one without parameters gets the schema of an empty object."""
    function: Wire = {"name": wire_name(tool.name)}
    if tool.description:
        function["description"] = clean(tool.description)
    function["parameters"] = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"type": "function", "function": function}


def _texts(*texts: tuple[str, str]) -> list[Wire]:
    return [{"role": role, "content": clean(text)} for role, text in texts if text]


def _wire_call(call: ToolCall) -> Mapping[str, object]:
    function = {"name": wire_name(call.name), "arguments": wire_arguments(call.arguments)}
    return {"id": wire_id(call.id), "type": "function", "function": function}


def _user_content(message: Message, *, vision: bool) -> str | list[Wire]:
    if not (vision and message.images):
        return _text_with_placeholders(message)
    parts: list[Wire] = []
    if message.content.strip():
        parts.append({"type": "text", "text": clean(message.content)})
    for image in message.images:
        url = image.url or f"data:{image.media_type};base64,{image.data}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _text_with_placeholders(message: Message) -> str:
    """The text and a line for each image that can't be sent here: tool results take text only."""
    shown = [clean(message.content)] if message.content.strip() else []
    return "\n".join([*shown, *(_placeholder(image) for image in message.images)]) or EMPTY


def _placeholder(image: Image) -> str:
    size = f", {image.width} x {image.height} pixels" if image.width and image.height else ""
    return f"[image not shown: {image.media_type}{size}]"
