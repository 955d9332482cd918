"""Puts the pieces of streamed tool calls together, whatever a compatible server does with ids."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.messages import ToolCall
from agent.text import clean


@dataclass(slots=True)
class PartialCall:
    """A call of which pieces have arrived. `index` is None where the server sends none."""

    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)  # of the arguments

    @property
    def arguments(self) -> str:
        """The raw text so far."""
        return "".join(self.pieces)

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are a whole JSON object, so that nothing more can belong here."""
        try:
            return isinstance(json.loads(self.arguments), dict)
        except (ValueError, RecursionError):
            return False


class CallAssembler:
    """Calls in the order in which they began.

    A piece belongs to the call with its id and index; without an id, to the newest call of its
    index (without an index, to the newest call), unless it names a tool after that call's
    arguments are complete. A new id at a known index is a new call, except the first id of a
    call that had none yet.
    """

    def __init__(self) -> None:
        self.calls: list[PartialCall] = []

    def feed(self, piece: Mapping[str, Any], position: int = 0) -> None:
        """Take one entry of `delta.tool_calls`; `position` is its place in that list."""
        new = _read(piece)
        call = self._find(new)
        if call is None or _starts_anew(call, new, position):
            self.calls.append(new)
            return
        call.id = call.id or new.id
        if new.name != call.name and not call.pieces:  # a repeated name is not a second half
            call.name += new.name
        call.pieces += new.pieces

    def finish(self, names: Mapping[str, str], seed: str) -> tuple[ToolCall, ...]:
        """The calls, names translated by `names` and every id unique.

        A missing id is made from `seed` and the call: the same stream gives the same ids.
        """
        used: set[str] = set()
        calls = []
        for position, call in enumerate(self.calls):
            name = clean(call.name)
            call_id = clean(call.id) or made_up_id(seed, position, name, call.arguments)
            if call_id in used:
                call_id = f"{call_id}_{position}"
            used.add(call_id)
            calls.append(ToolCall(call_id, names.get(name, name), clean(call.arguments)))
        return tuple(calls)

    def _find(self, piece: PartialCall) -> PartialCall | None:
        rivals = [call for call in self.calls if piece.index in (None, call.index)]
        if piece.id:
            same = [call for call in rivals if call.id == piece.id]
            rivals = same or [call for call in rivals[-1:] if not call.id]
        return rivals[-1] if rivals else None


def made_up_id(seed: str, position: int, name: str, arguments: str) -> str:
    """An id for a call that came without one."""
    text = "\x00".join((seed, str(position), name, arguments))
    return "call_" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def _starts_anew(call: PartialCall, piece: PartialCall, position: int) -> bool:
    if not piece.name or (piece.id and piece.id == call.id):
        return False
    if piece.index is None and position > 0:  # whole calls side by side, without index and id
        return True
    return call.is_complete and (piece.name != call.name or bool(piece.pieces))


def _read(entry: Mapping[str, Any]) -> PartialCall:
    function = entry.get("function")
    function = function if isinstance(function, Mapping) else {}
    index, arguments = entry.get("index"), _arguments(function.get("arguments"))
    return PartialCall(
        index=index if isinstance(index, int) else None,
        id=_text(entry.get("id")),
        name=_text(function.get("name")),
        pieces=[arguments] if arguments else [],
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    """Some servers send the arguments as an object instead of its JSON text."""
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return _text(value)
