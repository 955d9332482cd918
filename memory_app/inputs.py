"""What `/v1/memory` accepts: bodies with known fields only, and the list's query parameters."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers

from agent.text import clean
from memory_app.cursor import Position, decode
from memory_app.models import MemoryItem
from memory_app.values import KEY_LIMIT

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_IDS = 200
SEARCH_CHARS = 200
SHOWN_CHARS = 100  # of a refused value
SHOWN_UNKNOWN = 20

_IDS = re.compile(r"[0-9]{1,18}(,[0-9]{1,18})*")


class Text(serializers.CharField):
    """A JSON string; a number is no text here. Its length is checked where it is stored."""

    default_error_messages = {"invalid": "{value} is not a text; allowed: a JSON string."}

    def to_internal_value(self, data: Any) -> str:
        """The text, cleaned."""
        if not isinstance(data, str):
            self.fail("invalid", value=repr(data)[:SHOWN_CHARS])
        return super().to_internal_value(clean(data))


class Choice(serializers.ChoiceField):
    """One of some JSON strings."""

    def __init__(self, choices: Iterable[str], **options: Any) -> None:
        names = list(choices)
        super().__init__(choices=names, **options)
        allowed = ", ".join(names)
        self.error_messages["invalid_choice"] = f"{{value}} is not valid; allowed: {allowed}."

    def to_internal_value(self, data: Any) -> str:
        """The chosen one."""
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", value=repr(data)[:SHOWN_CHARS])
        return data


class Body(serializers.Serializer[Any]):
    """A JSON object with known fields only."""

    def to_internal_value(self, data: Mapping[str, Any]) -> Any:
        """The valid values by column. Raises ValidationError, for unknown fields too."""
        unknown = [name for name in data if name not in self.fields]
        if unknown:
            message = f"Unknown field; allowed: {', '.join(self.fields)}."
            raise serializers.ValidationError({name: [message] for name in unknown[:SHOWN_UNKNOWN]})
        return super().to_internal_value(data)


class MemoryInput(Body):
    """A memory to keep: at most 500 characters; `projectKey` with the scope PROJECT only."""

    scope = Choice(MemoryItem.Scope.values, required=False)
    projectKey = Text(required=False, allow_blank=True, source="project_key")
    content = Text()


class MemoryPatch(Body):
    """What may be changed of a memory; ACTIVE restores or accepts it."""

    scope = Choice(MemoryItem.Scope.values, required=False)
    projectKey = Text(required=False, allow_blank=True, source="project_key")
    content = Text(required=False)
    status = Choice([MemoryItem.Status.ACTIVE, MemoryItem.Status.DISMISSED], required=False)


class Ids(serializers.Field[list[int], str, str, Any]):
    """Ids with commas between them."""

    default_error_messages = {
        "invalid": "{value} is not valid; allowed: up to {limit} ids, such as 1,2."
    }

    def to_internal_value(self, data: str) -> list[int]:
        """The numbers; an empty text asks for none of them, not for all."""
        ids = [int(one) for one in data.split(",")] if _IDS.fullmatch(data) else []
        if (data and not ids) or len(ids) > MAX_IDS:
            self.fail("invalid", value=repr(data)[:SHOWN_CHARS], limit=MAX_IDS)
        return ids


class Cursor(serializers.Field[Position, str, str, Any]):
    """`next` of the page before."""

    default_error_messages = {"invalid": "{value} is not a cursor of this list."}

    def to_internal_value(self, data: str) -> Position:
        """Where that page ended."""
        try:
            return decode(data)
        except ValueError:
            self.fail("invalid", value=repr(data)[:SHOWN_CHARS])


class MemoryQuery(serializers.Serializer[Any]):
    """Which memories are listed. Without `status` all are."""

    scope = Choice(MemoryItem.Scope.values, required=False)
    projectKey = Text(
        required=False,
        allow_blank=True,
        max_length=KEY_LIMIT,
        source="project_key",
        help_text="Exactly this project; empty: those of no project.",
    )
    status = Choice(MemoryItem.Status.values, required=False)
    ids = Ids(required=False, help_text="Only these, such as 1,2.")
    search = Text(
        required=False,
        allow_blank=True,
        max_length=SEARCH_CHARS,
        help_text="Only those whose content has this text in it.",
    )
    limit = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_LIMIT,
        default=DEFAULT_LIMIT,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value", "max_string_length"),
            f"Not valid; allowed: a whole number from 1 to {MAX_LIMIT}.",
        ),
    )
    cursor = Cursor(required=False, help_text="`next` of the page before.")
