"""`/v1/sessions/{id}/compact`."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import compactions
from sessions_app.api.inputs import CompactInput
from sessions_app.api.openapi import CONFLICT, FOUND, WRITTEN
from sessions_app.api.view import View
from sessions_app.models import Session
from sessions_app.serializers import AcceptedSerializer


class Compact(View):
    """Compacts a session by hand."""

    @extend_schema(
        operation_id="sessions_compact",
        request=CompactInput,
        responses={202: AcceptedSerializer, **FOUND, **WRITTEN, **CONFLICT},
    )
    def post(self, _: Request, session_id: int) -> Response:
        """Compact now, or after the running round; asked for again meanwhile, it is done once."""
        session = self.session(session_id)
        fields = self.valid(CompactInput)
        try:
            accepted = compactions.request(session_id=session.pk, **fields)
        except Session.DoesNotExist as deleted:  # a moment ago
            raise Http404(f"There is no session {session.pk}.") from deleted
        data = {"status": accepted.status, "executionId": accepted.execution_id}
        return Response(data, status=status.HTTP_202_ACCEPTED)
