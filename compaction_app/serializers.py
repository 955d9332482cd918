"""The shapes in which REST shows compactions, as the OpenAPI schema has them."""

from typing import Any

from rest_framework import serializers

from compaction_app.policy import SHARES, UNDONE, Outcome, Trigger

Shape = serializers.Serializer[Any]


class TextOrNull(serializers.CharField):
    """A text column whose empty value means that there is none."""

    def to_representation(self, value: Any) -> Any:
        return value or None


class Tokens(serializers.IntegerField):
    """Tokens; null = not known, or not reported by the provider."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)


class CompactionSerializer(Shape):
    """The summary in force; where there is none the answer is the literal null."""

    summaryText = serializers.CharField(source="summary_text")
    lastCompactedMsgId = serializers.IntegerField(source="last_compacted_msg_id")
    compactCount = serializers.IntegerField(source="compact_count")
    compactModel = TextOrNull(
        source="compact_model", allow_null=True, help_text="Null: an extract, made without a model."
    )
    updatedAt = serializers.DateTimeField(source="updated_at")


class CompactionEventSerializer(Shape):
    """One compaction that was tried, or taken back."""

    id = serializers.IntegerField()
    triggerMode = serializers.ChoiceField([each.value for each in Trigger], source="trigger_mode")
    outcome = serializers.ChoiceField([*(each.value for each in Outcome), UNDONE])
    tier = TextOrNull(allow_null=True, help_text=f"One of {', '.join(SHARES)}.")
    prevBoundaryMsgId = serializers.IntegerField(source="prev_boundary_msg_id", allow_null=True)
    boundaryMsgId = serializers.IntegerField(source="boundary_msg_id", allow_null=True)
    compactedMessageCount = serializers.IntegerField(source="compacted_message_count")
    beforeTokens = Tokens(source="before_tokens")
    afterTokens = Tokens(source="after_tokens")
    savedTokens = serializers.IntegerField(source="saved_tokens")
    summaryTokens = serializers.IntegerField(source="summary_tokens")
    promptTokens = Tokens(source="prompt_tokens")
    cachedTokens = Tokens(source="cached_tokens")
    completionTokens = Tokens(source="completion_tokens")
    durationMs = serializers.IntegerField(source="duration_ms")
    model = TextOrNull(source="compact_model", allow_null=True)
    error = TextOrNull(allow_null=True)
    summaryText = TextOrNull(source="summary_text", allow_null=True)
    createdAt = serializers.DateTimeField(source="created_at")


class LastActSerializer(Shape):
    """The last compaction that was tried."""

    trigger = serializers.CharField()
    outcome = serializers.CharField()
    tier = serializers.CharField()
    prevBoundaryMsgId = serializers.IntegerField(allow_null=True)
    boundaryMsgId = serializers.IntegerField(allow_null=True)
    beforeTokens = serializers.IntegerField()
    afterTokens = Tokens()
    savedTokens = serializers.IntegerField()
    durationMs = serializers.IntegerField()


class LastErrorSerializer(Shape):
    """Why the last failed one failed."""

    code = serializers.CharField()
    message = serializers.CharField()
    stack = serializers.CharField(
        default="", help_text="The innermost frames, one a line, the innermost first."
    )


class CompactionReportSerializer(Shape):
    """Counters of everything around a session's compactions."""

    toolCalls = serializers.IntegerField(source="tool_calls")
    intents = serializers.IntegerField()
    expired = serializers.IntegerField()
    missed = serializers.IntegerField()
    acts = serializers.IntegerField()
    ok = serializers.IntegerField()
    errors = serializers.IntegerField()  # type: ignore[assignment]  # a serializer's own errors are none
    lastAct = LastActSerializer(source="last_act", allow_null=True)
    lastError = LastErrorSerializer(source="last_error", allow_null=True)


class CompactionPageSerializer(Shape):
    results = CompactionEventSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    report = CompactionReportSerializer()
