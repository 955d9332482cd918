"""What the OpenAPI schema says of parameters and errors that many operations share."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from compaction_app.serializers import CompactionSerializer
from sessions_app.api.inputs import Input
from sessions_app.api.paging import DEFAULT_LIMIT, MAX_LIMIT
from sessions_app.serializers import ContextSerializer, ErrorSerializer

FIELD_ERRORS = {
    "type": "object",
    "description": "Messages by field; `body` where the body as a whole is wrong.",
    "additionalProperties": {"type": "array", "items": {"type": "string"}},
}
SIGNED_IN: dict[int, Any] = {401: ErrorSerializer, 429: ErrorSerializer}
FOUND: dict[int, Any] = {**SIGNED_IN, 403: ErrorSerializer, 404: ErrorSerializer}
LISTED: dict[int, Any] = {400: FIELD_ERRORS}
WRITTEN: dict[int, Any] = {
    400: FIELD_ERRORS,
    403: ErrorSerializer,
    411: ErrorSerializer,
    413: ErrorSerializer,
    415: ErrorSerializer,
}
CONFLICT: dict[int, Any] = {409: ErrorSerializer}

LIMIT = OpenApiParameter(
    "limit",
    {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    description="Rows of a page.",
)
CURSOR = OpenApiParameter("cursor", str, description="`next` of the page before.")
BEFORE = OpenApiParameter(
    "before",
    {"type": "integer", "minimum": 1},
    description="Only messages with a lower id: `next` of the page before.",
)


class InputSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says of inputs what they hold to: no other fields, and no blank where that is refused."""

    target_class = Input
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """The schema of one input."""
        schema = _as_declared(auto_schema, self.target, direction)
        for name, field in self.target.fields.items():
            if isinstance(field, serializers.CharField) and not field.allow_blank:
                schema["properties"][name]["minLength"] = 1
        return {**schema, "additionalProperties": False}


class ContextSchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """The context of a session that had no request yet is the literal null."""

    target_class: Any = ContextSerializer

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """The schema of the context, or null."""
        schema = _as_declared(auto_schema, self.target, direction)
        return {**schema, "nullable": True}


class CompactionSchema(ContextSchema):  # type: ignore[no-untyped-call]
    """The summary of a session that was never compacted is the literal null."""

    target_class = CompactionSerializer


def _as_declared(auto_schema: AutoSchema, shape: Any, direction: str) -> dict[str, Any]:
    """What the library itself says of a serializer."""
    schema: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
        shape, direction, bypass_extensions=True
    )
    return schema
