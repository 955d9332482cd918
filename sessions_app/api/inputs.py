"""What REST accepts. Every field is named here; any other is refused."""

import zoneinfo
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers

from agent.prompt.templates import LANGUAGES
from sessions_app import limits, selectors, workspaces
from sessions_app.api.fields import Choice, Flag, Text
from sessions_app.models import ModelProfile, Session

SHOWN_UNKNOWN = 20


class Input(serializers.Serializer[Any]):
    """A JSON object with known fields only."""

    def to_internal_value(self, data: Mapping[str, Any]) -> Any:
        """The valid values by column. Raises ValidationError, for unknown fields too."""
        unknown = [name for name in data if name not in self.fields]
        if unknown:
            allowed = ", ".join(self.fields) or "none"
            message = f"Unknown field; allowed: {allowed}."
            raise serializers.ValidationError({name: [message] for name in unknown[:SHOWN_UNKNOWN]})
        return super().to_internal_value(data)


class Nothing(Input):
    """An empty object, or no body at all."""


class SessionInput(Input):
    """What may be set when a session is created.

    `workspace` is the absolute path of a folder below a workspace root; without one a new folder is
    made. The other defaults: the default model, LOCAL, web, READ_ONLY, memories injected, the
    user's language, UTC.
    """

    title = Text(required=False, allow_blank=True, max_length=200)
    model = Text(required=False)
    workspace = Text(required=False, max_length=1_000, trim_whitespace=False)
    workspaceKind = Choice(Session.WorkspaceKind.values, required=False, source="workspace_kind")
    channel = Choice(Session.Channel.values, required=False)
    projectKey = Text(required=False, allow_blank=True, max_length=200, source="project_key")
    permissionLevel = Choice(
        Session.PermissionLevel.values, required=False, source="permission_level"
    )
    memoryInjectionDisabled = Flag(required=False, source="memory_injection_disabled")
    language = Choice(LANGUAGES, required=False)
    timeZone = Text(required=False, source="time_zone")

    def validate_model(self, name: str) -> ModelProfile:
        """The offered model of this name."""
        offered = {row.name: row for row in selectors.offered_models()}
        if name not in offered:
            names = ", ".join(offered) or "none"
            raise serializers.ValidationError(f"{name[:100]!r} is not offered; allowed: {names}.")
        return offered[name]

    def validate_workspace(self, text: str) -> str:
        """The folder's path, links resolved."""
        user: User = self.context["request"].user
        try:
            return str(workspaces.allowed(text, owner_id=user.pk))
        except workspaces.WorkspaceNotAllowed as refused:
            raise serializers.ValidationError(str(refused)) from refused

    def validate_timeZone(self, name: str) -> str:  # noqa: N802 - DRF finds it by the field's name
        """A name of the IANA time zone database."""
        if name not in _time_zones():
            raise serializers.ValidationError(
                f"{name[:100]!r} is not a time zone; allowed: IANA names such as Asia/Tokyo, UTC."
            )
        return name


class SessionPatch(SessionInput):
    """What may be changed later: the same, and how much a compaction keeps."""

    compactionTier = Choice(Session.Tier.values, required=False, source="compaction_tier")


class MessageInput(Input):
    """A user's message. The same `eventId` twice starts one run."""

    content = Text(max_length=limits.CONTENT_CHARS, trim_whitespace=False)
    eventId = Text(
        required=False,
        max_length=limits.EVENT_ID_CHARS,
        trim_whitespace=False,
        source="event_id",
    )

    def validate_content(self, text: str) -> str:
        """A text with something in it."""
        if not text.strip():
            raise serializers.ValidationError("Blank is not allowed.")
        return text


class CompactInput(Input):
    """How to compact: what the summary should attend to, and how much is kept this once."""

    instructions = Text(required=False, allow_blank=True, max_length=limits.FOCUS_CHARS)
    tier = Choice(Session.Tier.values, required=False)


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())
