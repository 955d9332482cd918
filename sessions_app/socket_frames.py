"""What a client may send: one dataclass a frame, parsed by hand, refused with the reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app import limits
from sessions_app.models import Session
from sessions_app.strict_json import NotStrictJson, loads

MAX_BYTES = 256 * 1024
SHOWN = 40  # characters of a bad value in the answer


class BadFrame(Exception):
    """The frame can't be taken; the text says what was wrong and what is allowed."""


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Start a run with this message; the same event id starts one run only."""

    content: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop what runs."""


@dataclass(frozen=True, slots=True)
class CompactNow:
    """Compact by hand; empty instructions mean none, an empty tier the session's."""

    instructions: str
    tier: str


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Ask for the snapshot, and for the stored frames after `after` (None: none)."""

    after: int | None


@dataclass(frozen=True, slots=True)
class Ping:
    """Ask for a pong."""


ClientFrame = SendMessage | Cancel | CompactNow | Subscribe | Ping
Data = Mapping[str, Any]


def parse(text: str | None) -> tuple[str, ClientFrame]:
    """A client's frame with its type; None stands for a binary one. Raises BadFrame."""
    if text is None:
        raise BadFrame("The frame is binary; allowed: text.")
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) > MAX_BYTES:
        raise BadFrame(f"The frame has {len(raw)} bytes; allowed: {MAX_BYTES}.")
    frame = _object(raw)
    _known(frame, {"type", "data"}, "the frame")
    type_ = frame.get("type")
    if not isinstance(type_, str) or type_ not in PARSERS:
        raise BadFrame(f"The type {_show(type_)} is not known; allowed: {', '.join(PARSERS)}.")
    data = frame.get("data", {})
    if not isinstance(data, dict):
        raise BadFrame(f"data is {_show(data)}; allowed: an object.")
    return type_, PARSERS[type_](data)


def _object(raw: bytes) -> dict[str, Any]:
    """The JSON object, its texts cleaned of NUL and lone surrogates; as strict as REST."""
    if not raw:
        raise BadFrame("The frame is empty; allowed: a JSON object.")
    try:
        return loads(raw)
    except NotStrictJson as error:
        raise BadFrame(f"Not valid JSON for this API: {error}.") from error


def _send_message(data: Data) -> SendMessage:
    _known(data, {"content", "eventId"}, "data")
    content, event_id = _text(data, "content"), _text(data, "eventId")
    _within("content", content, limits.CONTENT_CHARS)
    _within("eventId", event_id, limits.EVENT_ID_CHARS)
    return SendMessage(content, event_id)


def _subscribe(data: Data) -> Subscribe:
    _known(data, {"after"}, "data")
    after = data.get("after")
    if "after" in data and type(after) is not int:  # True is no seq
        raise BadFrame(f"after is {_show(after)}; allowed: a whole number.")
    return Subscribe(after)


def _compact_now(data: Data) -> CompactNow:
    _known(data, {"instructions", "tier"}, "data")
    instructions = data.get("instructions", "")
    if not isinstance(instructions, str):
        raise BadFrame(f"instructions is {_show(instructions)}; allowed: a text.")
    instructions = instructions.strip()
    _within("instructions", instructions, limits.FOCUS_CHARS)
    tier = data.get("tier", "")
    if "tier" in data and tier not in Session.Tier.values:
        allowed = ", ".join(Session.Tier.values)
        raise BadFrame(f"tier is {_show(tier)}; allowed: {allowed}.")
    return CompactNow(instructions, tier)


def _cancel(data: Data) -> Cancel:
    _known(data, set(), "data")
    return Cancel()


def _ping(data: Data) -> Ping:
    _known(data, set(), "data")
    return Ping()


# A new frame is its dataclass, a line here and a method `on_...` of the consumer.
PARSERS: dict[str, Callable[[Data], ClientFrame]] = {
    "send_message": _send_message,
    "cancel": _cancel,
    "compact_now": _compact_now,
    "subscribe": _subscribe,
    "ping": _ping,
}


def _text(data: Data, key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        shown = _show(value) if key in data else "missing"
        raise BadFrame(f"{key} is {shown}; allowed: a text that is not blank.")
    return value


def _within(key: str, text: str, most: int) -> None:
    problem = limits.too_long(text, most)
    if problem:
        raise BadFrame(f"{key}: {problem}")


def _known(value: Data, keys: set[str], where: str) -> None:
    unknown = sorted(set(value) - keys)
    if unknown:
        allowed = ", ".join(sorted(keys)) or "none"
        raise BadFrame(f"{_show(unknown[0])} is not a key of {where}; allowed: {allowed}.")


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
