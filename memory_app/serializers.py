"""The shapes that `/v1/memory` answers with, as the OpenAPI schema shows them."""

from typing import Any

from rest_framework import serializers

from memory_app.models import MemoryItem


class MemorySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    scope = serializers.ChoiceField(MemoryItem.Scope.values)
    projectKey = serializers.CharField(source="project_key")
    content = serializers.CharField()
    source = serializers.ChoiceField(MemoryItem.Source.values)  # type: ignore[assignment]  # a field's own source is none
    status = serializers.ChoiceField(MemoryItem.Status.values)
    originSessionId = serializers.IntegerField(source="origin_session_id", allow_null=True)
    originMessageId = serializers.IntegerField(source="origin_message_id", allow_null=True)
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")


class MemoryPageSerializer(serializers.Serializer[Any]):
    results = MemorySerializer(many=True)
    next = serializers.CharField(allow_null=True)
