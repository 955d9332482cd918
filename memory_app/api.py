"""`/v1/memory` and `/v1/memory/{id}`."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.cache import patch_cache_control
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory_app import selectors, services
from memory_app.cursor import encode
from memory_app.errors import MemoryRefused
from memory_app.inputs import MemoryInput, MemoryPatch, MemoryQuery
from memory_app.openapi import FOUND, LISTED, SIGNED_IN, WRITTEN
from memory_app.selectors import MemoryFilter
from memory_app.serializers import MemoryPageSerializer, MemorySerializer
from memory_app.services import MemoryFields

UNKNOWN_LENGTH = "-1"


class View(APIView):
    """A view of the user's own memories."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """A chunked body has no length; DRF would take that for no body at all."""
        if "HTTP_TRANSFER_ENCODING" in request.META:
            request.META.setdefault("CONTENT_LENGTH", UNKNOWN_LENGTH)
        return super().initialize_request(request, *args, **kwargs)

    def handle_exception(self, exc: Exception) -> Response:
        """What a memory can't have is a mistake of the request."""
        if isinstance(exc, MemoryRefused):
            exc = serializers.ValidationError({exc.field: [str(exc)]})
        return super().handle_exception(exc)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Memories stay out of caches, the browser's own included."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(answer, no_store=True, private=True)
        return answer

    @property
    def owner_id(self) -> int:
        """Who asks; the permission classes let nobody else through."""
        user = self.request.user
        assert isinstance(user, User)
        return user.pk

    def valid(self, kind: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
        """The given values by column. Raises ValidationError."""
        given = kind(data=data)
        given.is_valid(raise_exception=True)
        return cast(dict[str, Any], given.validated_data)


class MemoryList(View):
    """The user's memories."""

    @extend_schema(
        operation_id="memory_list",
        parameters=[MemoryQuery],
        responses={200: MemoryPageSerializer, **LISTED, **SIGNED_IN},
    )
    def get(self, request: Request) -> Response:
        """The user's memories, newest first by update time; without `status` all of them."""
        # As a plain dict: an empty parameter is a value too, not one that was not given.
        query = self.valid(MemoryQuery, request.query_params.dict())
        limit, after = query.pop("limit"), query.pop("cursor", None)
        narrowed = MemoryFilter(**query)
        rows = selectors.items(
            owner_id=self.owner_id, narrowed=narrowed, after=after, limit=limit + 1
        )
        shown = rows[:limit]
        more = len(rows) > limit
        cursor = encode((shown[-1].updated_at, shown[-1].pk)) if more else None
        return Response({"results": MemorySerializer(shown, many=True).data, "next": cursor})

    @extend_schema(
        operation_id="memory_create",
        request=MemoryInput,
        responses={200: MemorySerializer, 201: MemorySerializer, **SIGNED_IN, **WRITTEN},
    )
    def post(self, request: Request) -> Response:
        """Keep a memory.

        The same content in the same place is the same memory: 200 with it, restored if it was
        dismissed, accepted if an agent had proposed it.
        """
        values = self.valid(MemoryInput, request.data)
        item, created = services.memory_create(owner_id=self.owner_id, **values)
        code = status.HTTP_201_CREATED if created else status.HTTP_200_OK
        return Response(MemorySerializer(item).data, status=code)


class MemoryDetail(View):
    """One memory."""

    @extend_schema(operation_id="memory_get", responses={200: MemorySerializer, **FOUND})
    def get(self, _: Request, memory_id: int) -> Response:
        """One memory."""
        item = selectors.item(owner_id=self.owner_id, memory_id=memory_id)
        return Response(MemorySerializer(item).data)

    @extend_schema(
        operation_id="memory_change",
        request=MemoryPatch,
        responses={200: MemorySerializer, **FOUND, **WRITTEN},
    )
    def patch(self, request: Request, memory_id: int) -> Response:
        """Change the given fields; what changes nothing leaves the update time."""
        selectors.item(owner_id=self.owner_id, memory_id=memory_id)
        fields = cast(MemoryFields, self.valid(MemoryPatch, request.data))
        item = services.memory_update(owner_id=self.owner_id, memory_id=memory_id, fields=fields)
        return Response(MemorySerializer(item).data)

    @extend_schema(operation_id="memory_delete", responses={204: None, **FOUND})
    def delete(self, _: Request, memory_id: int) -> Response:
        """Delete a memory; runs that have it keep it to their end."""
        services.memory_delete(owner_id=self.owner_id, memory_id=memory_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
