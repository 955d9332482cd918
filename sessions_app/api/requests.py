"""`/v1/sessions/{id}/requests`: what was sent to models."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import selectors
from sessions_app.api.openapi import CURSOR, FOUND, LIMIT, LISTED
from sessions_app.api.paging import cursor_of, encode, limit_of, page
from sessions_app.api.view import View
from sessions_app.request_detail import request_detail
from sessions_app.serializers import (
    RequestDetailSerializer,
    RequestPageSerializer,
    RequestSerializer,
)


class RequestList(View):
    """The request log of a session."""

    @extend_schema(
        operation_id="requests_list",
        parameters=[LIMIT, CURSOR],
        responses={200: RequestPageSerializer, **LISTED, **FOUND},
    )
    def get(self, request: Request, session_id: int) -> Response:
        """The model requests of a session, newest first."""
        session = self.session(session_id)
        limit = limit_of(request)
        cursor = cursor_of(request, 1)
        after = cursor[0] if cursor else None
        rows = selectors.requests(session=session, after=after, limit=limit + 1)
        return Response(
            page(
                rows,
                limit,
                shape=lambda shown: RequestSerializer(shown, many=True).data,
                key=lambda row: encode(row.pk),
            )
        )


class RequestDetail(View):
    """One model request."""

    @extend_schema(operation_id="requests_get", responses={200: RequestDetailSerializer, **FOUND})
    def get(self, _: Request, session_id: int, request_id: int) -> Response:
        """One model request as it was sent, compared with the one before."""
        session = self.session(session_id)
        log = selectors.request(session=session, request_id=request_id)
        detail = request_detail(session=session, log=log)
        return Response({**RequestSerializer(log).data, **detail})
