"""Input fields that take exactly the JSON type they name, and say what is allowed."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from agent.text import clean
from sessions_app import limits


class Text(serializers.CharField):
    """A JSON string; numbers are no texts here. `max_length` in Unicode code points."""

    default_error_messages = {
        "invalid": "{value} is not a text; allowed: a JSON string.",
        "max_length": limits.TOO_LONG,
        "blank": "Blank is not allowed.",
    }

    def to_internal_value(self, data: Any) -> str:
        """The text, cleaned and, unless told otherwise, without space around it."""
        if not isinstance(data, str):
            self.fail("invalid", value=_shown(data))
        return super().to_internal_value(clean(data))


class Flag(serializers.BooleanField):
    """`true` or `false`, nothing that only looks like it."""

    default_error_messages = {"invalid": "{input} is not valid; allowed: true, false."}

    def to_internal_value(self, data: Any) -> bool:
        """The boolean."""
        if not isinstance(data, bool):
            self.fail("invalid", input=_shown(data))
        return data


class Choice(serializers.ChoiceField):
    """One of some JSON strings."""

    def __init__(self, choices: Iterable[str], **options: Any) -> None:
        names = list(choices)
        super().__init__(choices=names, **options)
        allowed = ", ".join(names)
        self.error_messages["invalid_choice"] = f"{{input}} is not valid; allowed: {allowed}."

    def to_internal_value(self, data: Any) -> str:
        """The chosen one."""
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", input=_shown(data))
        return data


def _shown(value: Any) -> str:
    return repr(value)[:100]
