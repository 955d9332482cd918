"""`/v1/sessions/{id}/cancel`."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import runs
from sessions_app.api.inputs import Nothing
from sessions_app.api.openapi import FOUND, WRITTEN
from sessions_app.api.view import View


class Cancel(View):
    """Stops what a session is doing."""

    @extend_schema(
        operation_id="sessions_cancel",
        request=None,
        responses={202: OpenApiTypes.OBJECT, **FOUND, **WRITTEN},
    )
    def post(self, _: Request, session_id: int) -> Response:
        """Ask the run or compaction, if there is one, to stop; that takes up to 2 seconds."""
        session = self.session(session_id)
        self.valid(Nothing)
        runs.cancel(session_id=session.pk)
        return Response({}, status=status.HTTP_202_ACCEPTED)
