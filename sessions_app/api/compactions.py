"""`/v1/sessions/{id}/compactions`: what was tried, and the report."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from compaction_app import selectors
from compaction_app.serializers import (
    CompactionEventSerializer,
    CompactionPageSerializer,
    CompactionReportSerializer,
)
from sessions_app.api.openapi import CURSOR, FOUND, LIMIT, LISTED
from sessions_app.api.paging import cursor_of, encode, limit_of, page
from sessions_app.api.view import View


class CompactionList(View):
    """The history of a session's compactions."""

    @extend_schema(
        operation_id="compactions_list",
        parameters=[LIMIT, CURSOR],
        responses={200: CompactionPageSerializer, **LISTED, **FOUND},
    )
    def get(self, request: Request, session_id: int) -> Response:
        """The session's compactions, newest first, and the counters of all."""
        session = self.session(session_id)
        limit = limit_of(request)
        cursor = cursor_of(request, 1)
        after = cursor[0] if cursor else None
        rows = selectors.events(session_id=session.pk, after=after, limit=limit + 1)
        listed = page(
            rows,
            limit,
            shape=lambda shown: CompactionEventSerializer(shown, many=True).data,
            key=lambda row: encode(row.pk),
        )
        report = CompactionReportSerializer(selectors.report(session.pk)).data
        return Response({**listed, "report": report})
