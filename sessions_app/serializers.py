"""The shapes that REST answers with, as the OpenAPI schema shows them."""

from typing import Any
from urllib.parse import urlsplit, urlunsplit

import orjson
from rest_framework import serializers

from sessions_app.models import Message, ModelProfile, RequestLog, Session
from sessions_app.services import models
from sessions_app.shapes import message_shape

Shape = serializers.Serializer[Any]


class TextOrNull(serializers.CharField):
    """A text column whose empty value means that there is none."""

    def to_representation(self, value: Any) -> Any:
        return value or None


class SessionSerializer(Shape):
    id = serializers.IntegerField()
    title = serializers.CharField()
    model = serializers.CharField(source="model.name", allow_null=True)
    workspace = serializers.CharField()
    workspaceKind = serializers.ChoiceField(Session.WorkspaceKind.values, source="workspace_kind")
    channel = serializers.ChoiceField(Session.Channel.values)
    projectKey = serializers.CharField(source="project_key")
    permissionLevel = serializers.ChoiceField(
        Session.PermissionLevel.values, source="permission_level"
    )
    memoryInjectionDisabled = serializers.BooleanField(source="memory_injection_disabled")
    language = serializers.CharField()
    timeZone = serializers.CharField(source="time_zone")
    compactionTier = serializers.ChoiceField(Session.Tier.values, source="compaction_tier")
    phase = serializers.ChoiceField(Session.Phase.values)
    contextTokens = serializers.IntegerField(source="context_tokens", allow_null=True)
    windowTokens = serializers.IntegerField(source="window_tokens", allow_null=True)
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")


class SessionPageSerializer(Shape):
    results = SessionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ToolCallSerializer(Shape):
    id = serializers.CharField()
    name = serializers.CharField()
    arguments = serializers.CharField(help_text="As the model wrote it, valid JSON or not.")


class MessageSerializer(Shape):
    """`context["boundary"]` is the id of the last compacted message, None if there is none."""

    id = serializers.IntegerField()
    role = serializers.ChoiceField(Message.Role.values)
    content = serializers.CharField()
    toolCalls = ToolCallSerializer(many=True)
    toolCallId = serializers.CharField(allow_null=True)
    toolName = serializers.CharField(allow_null=True)
    metadata = serializers.DictField()
    tokens = serializers.IntegerField(allow_null=True)
    compacted = serializers.BooleanField()
    createdAt = serializers.DateTimeField()

    def to_representation(self, message: Message) -> dict[str, Any]:
        boundary = self.context["boundary"]
        return message_shape(message, compacted=boundary is not None and message.pk <= boundary)


class MessagePageSerializer(Shape):
    results = MessageSerializer(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="What `before` takes.")


class StartedSerializer(Shape):
    executionId = serializers.CharField()
    messageId = serializers.IntegerField()


class AcceptedSerializer(Shape):
    status = serializers.ChoiceField(["started", "queued"])
    executionId = serializers.CharField()


class OutputSerializer(Shape):
    toolCallId = serializers.CharField()
    toolName = serializers.CharField()
    output = serializers.CharField()


class SectionSerializer(Shape):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field's own label is none
    tokens = serializers.IntegerField()
    count = serializers.IntegerField(required=False)


class ToolsSerializer(Shape):
    tokens = serializers.IntegerField()
    count = serializers.IntegerField()
    perServer = serializers.DictField(child=serializers.IntegerField(), required=False)


class ManifestSerializer(Shape):
    sections = SectionSerializer(many=True)
    memoryIds = serializers.ListField(child=serializers.IntegerField())
    estimatedWindowTokens = serializers.IntegerField(allow_null=True)
    tools = ToolsSerializer()
    compactAtTokens = serializers.IntegerField(allow_null=True)
    requestId = serializers.IntegerField(allow_null=True)
    reconstructed = serializers.BooleanField(required=False)


class ContextSerializer(Shape):
    estimated = serializers.IntegerField()
    actual = serializers.IntegerField(allow_null=True)
    manifest = ManifestSerializer(allow_null=True)
    executionId = serializers.CharField(allow_null=True)
    updatedAt = serializers.DateTimeField(allow_null=True)


class StoredManifest(ManifestSerializer):
    """The manifest as the request log keeps it: JSON text, empty for summary requests."""

    def to_representation(self, text: str) -> Any:
        return orjson.loads(text) if text else None


class RequestSerializer(Shape):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(RequestLog.Kind.values)
    executionId = serializers.CharField(source="execution_id")
    estimated = serializers.IntegerField()
    actual = serializers.IntegerField(allow_null=True)
    cachedTokens = serializers.IntegerField(source="cached_tokens", allow_null=True)
    outputTokens = serializers.IntegerField(source="output_tokens", allow_null=True)
    durationMs = serializers.IntegerField(source="duration_ms", allow_null=True)
    stopReason = TextOrNull(source="stop_reason", allow_null=True)
    manifest = StoredManifest(allow_null=True)
    createdAt = serializers.DateTimeField(source="created_at")


class RequestPageSerializer(Shape):
    results = RequestSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class PartSerializer(Shape):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field's own label is none
    tokens = serializers.IntegerField()
    text = serializers.CharField()
    change = serializers.ChoiceField(["new", "same", "changed", "gone"])


class RequestDetailSerializer(RequestSerializer):
    parts = PartSerializer(many=True)
    stablePrefixTokens = serializers.IntegerField()
    firstChangedKey = serializers.CharField(allow_null=True)


class PricesSerializer(Shape):
    """Per million tokens; null = not known."""

    input = serializers.FloatField(source="input_price", allow_null=True)
    cached = serializers.FloatField(source="cached_price", allow_null=True)
    output = serializers.FloatField(source="output_price", allow_null=True)


class ModelProfileSerializer(Shape):
    """A model as it would be used now; `offered`: it can be, `default`: new sessions get it."""

    name = serializers.CharField()
    provider = serializers.ChoiceField(ModelProfile.Provider.values)
    modelId = serializers.CharField()
    baseUrl = serializers.CharField(allow_null=True)
    windowTokens = serializers.IntegerField(allow_null=True)
    maxOutputTokens = serializers.IntegerField()
    tokenizer = serializers.CharField()
    calibration = serializers.FloatField(help_text="Measured / estimated tokens.")
    notesRole = serializers.ChoiceField(ModelProfile.NotesRole.values)
    vision = serializers.BooleanField()
    prices = PricesSerializer()
    enabled = serializers.BooleanField()
    offered = serializers.BooleanField()
    default = serializers.BooleanField()

    def to_representation(self, row: ModelProfile) -> dict[str, Any]:
        spec = models.spec(row)
        return {
            "name": row.name,
            "provider": row.provider,
            "modelId": spec.model_id,
            "baseUrl": _without_secrets(models.base_url(row)) or None,
            "windowTokens": spec.window_tokens,
            "maxOutputTokens": spec.max_output_tokens,
            "tokenizer": spec.tokenizer,
            "calibration": spec.calibration,
            "notesRole": spec.notes_role,
            "vision": spec.vision,
            "prices": PricesSerializer(row).data,
            "enabled": row.enabled,
            "offered": row.pk in self.context["offered"],
            "default": row.pk == self.context["default"],
        }


def _without_secrets(url: str) -> str:
    """The URL without user and password, and without a query that may hold a key."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class ModelPageSerializer(Shape):
    results = ModelProfileSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class HealthSerializer(Shape):
    """Each is `ok` or `failed`."""

    status = serializers.CharField()
    database = serializers.CharField()
    channelLayer = serializers.CharField()


class ErrorSerializer(Shape):
    code = serializers.CharField()
    detail = serializers.CharField()
    executionId = serializers.CharField(required=False)
