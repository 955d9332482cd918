"""What the OpenAPI schema says of the parameters and errors of `/v1/memory`."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from memory_app.inputs import Body, Cursor, Ids
from memory_app.section import CONTENT_LIMIT
from memory_app.values import KEY_LIMIT

FIELD_ERRORS = {
    "type": "object",
    "description": "Messages by field; `body` where the body as a whole is wrong.",
    "additionalProperties": {"type": "array", "items": {"type": "string"}},
}
ERROR = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "detail": {"type": "string"}},
    "required": ["code", "detail"],
}
SIGNED_IN: dict[int, Any] = {401: ERROR, 429: ERROR}
FOUND: dict[int, Any] = {**SIGNED_IN, 403: ERROR, 404: ERROR}
LISTED: dict[int, Any] = {400: FIELD_ERRORS}
WRITTEN: dict[int, Any] = {
    400: FIELD_ERRORS,
    403: ERROR,
    411: ERROR,
    413: ERROR,
    415: ERROR,
}
LENGTHS = {"content": CONTENT_LIMIT, "projectKey": KEY_LIMIT}


class BodySchema(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Says of bodies what they hold to: no other fields, lengths, no blank where that is
    refused.
    """

    target_class = Body
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """The schema of one body."""
        schema: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        for name, field in self.target.fields.items():
            if name in LENGTHS:
                schema["properties"][name]["maxLength"] = LENGTHS[name]
            if isinstance(field, serializers.CharField) and not field.allow_blank:
                schema["properties"][name]["minLength"] = 1
        return {**schema, "additionalProperties": False}


class IdsSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Ids of the query: a text."""

    target_class = Ids

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:  # noqa: ARG002 - the port's
        """The schema of the parameter."""
        return {"type": "string", "pattern": "^([0-9]{1,18}(,[0-9]{1,18})*)?$"}


class CursorSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A cursor: an opaque text."""

    target_class = Cursor

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:  # noqa: ARG002 - the port's
        """The schema of the parameter."""
        return {"type": "string"}
