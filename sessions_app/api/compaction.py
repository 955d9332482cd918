"""`/v1/sessions/{id}/compaction`: the summary in force, and its undo."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from compaction_app import selectors
from compaction_app.models import SessionCompaction
from compaction_app.serializers import CompactionSerializer
from sessions_app import compactions
from sessions_app.api.inputs import Nothing
from sessions_app.api.openapi import CONFLICT, FOUND, WRITTEN
from sessions_app.api.view import View
from sessions_app.models import Session


class Compaction(View):
    """The handoff summary that stands for the compacted messages."""

    @extend_schema(
        operation_id="sessions_compaction", responses={200: CompactionSerializer, **FOUND}
    )
    def get(self, _: Request, session_id: int) -> Response:
        """The summary in force; the literal null before the first compaction."""
        return Response(_shape(selectors.compaction(self.session(session_id).pk)))


class CompactionUndo(View):
    """Takes compactions back, the last one first."""

    @extend_schema(
        operation_id="sessions_compaction_undo",
        request=None,
        responses={200: CompactionSerializer, **FOUND, **WRITTEN, **CONFLICT},
    )
    def post(self, _: Request, session_id: int) -> Response:
        """Take the last compaction back: the summary that is in force again, null for none.

        409 `session_already_running` while anything is in progress, `nothing_to_undo` when no
        compaction is in force.
        """
        session = self.session(session_id)
        self.valid(Nothing)
        try:
            restored = compactions.undo(session_id=session.pk)
        except Session.DoesNotExist as deleted:  # a moment ago
            raise Http404(f"There is no session {session.pk}.") from deleted
        return Response(_shape(restored))


def _shape(row: SessionCompaction | None) -> dict[str, object] | None:
    return None if row is None else CompactionSerializer(row).data
