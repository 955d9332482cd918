"""`/v1/sessions/{id}/context`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import selectors
from sessions_app.api.openapi import FOUND
from sessions_app.api.view import View
from sessions_app.serializers import ContextSerializer


class Context(View):
    """The context of the last request, as it was pushed."""

    @extend_schema(
        operation_id="sessions_context",
        responses={200: ContextSerializer, **FOUND},
    )
    def get(self, _: Request, session_id: int) -> Response:
        """What the last `context_window` frame said; the literal null before the first one."""
        return Response(selectors.context(self.session(session_id)))
