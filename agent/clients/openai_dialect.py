"""What a compatible server turned out not to know, as its refusals tell."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Wire = dict[str, Any]


def _rename_max_tokens(body: Wire) -> Wire:
    limit = body["max_tokens"]
    rest = {key: value for key, value in body.items() if key != "max_tokens"}
    return {**rest, "max_completion_tokens": limit}


def _drop_stream_options(body: Wire) -> Wire:
    return {key: value for key, value in body.items() if key != "stream_options"}


@dataclass(frozen=True, slots=True)
class Repair:
    """How to change a body that has `field` once a refusal (400 or 422) matches `pattern`."""

    field: str
    pattern: re.Pattern[str]
    change: Callable[[Wire], Wire]


REPAIRS = (
    # a gateway before OpenAI's reasoning models
    Repair(
        "max_tokens",
        re.compile(r"(unsupported|unknown|not supported).*max_completion_tokens", re.I | re.S),
        _rename_max_tokens,
    ),
    # servers from before there was usage in streams; the answer is complete without it
    Repair("stream_options", re.compile(r"stream_options", re.I), _drop_stream_options),
)


class Dialect:
    """The repairs that a server needs, learnt from its refusals."""

    def __init__(self) -> None:
        self._learnt: list[Repair] = []

    def speak(self, body: Wire) -> Wire:
        """The body as this server takes it."""
        for repair in self._learnt:
            if repair.field in body:
                body = repair.change(body)
        return body

    def learn(self, body: Wire, status: int, text: str) -> bool:
        """Whether this refusal of a sent body taught something, so that it is worth another try."""
        if status not in {400, 422}:
            return False
        for repair in REPAIRS:
            if repair.field in body and repair.pattern.search(text):
                self._learnt.append(repair)
                return True
        return False
