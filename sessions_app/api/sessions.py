"""`/v1/sessions` and `/v1/sessions/{id}`."""

from typing import cast

from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import selectors
from sessions_app.api.inputs import SessionInput, SessionPatch
from sessions_app.api.openapi import CONFLICT, CURSOR, FOUND, LIMIT, LISTED, SIGNED_IN, WRITTEN
from sessions_app.api.paging import cursor_of, encode, from_micros, limit_of, page, to_micros
from sessions_app.api.view import View
from sessions_app.serializers import SessionPageSerializer, SessionSerializer
from sessions_app.services import sessions
from sessions_app.services.sessions import SessionFields


class SessionList(View):
    """The user's sessions."""

    @extend_schema(
        operation_id="sessions_list",
        parameters=[LIMIT, CURSOR],
        responses={200: SessionPageSerializer, **LISTED, **SIGNED_IN},
    )
    def get(self, request: Request) -> Response:
        """The user's sessions, newest activity first."""
        limit = limit_of(request)
        cursor = cursor_of(request, 2)
        after = (from_micros(cursor[0]), cursor[1]) if cursor else None
        rows = selectors.sessions(owner=self.user, after=after, limit=limit + 1)
        return Response(
            page(
                rows,
                limit,
                shape=lambda shown: SessionSerializer(shown, many=True).data,
                key=lambda row: encode(to_micros(row.active_at), row.pk),
            )
        )

    @extend_schema(
        operation_id="sessions_create",
        request=SessionInput,
        responses={201: SessionSerializer, **SIGNED_IN, **WRITTEN},
    )
    def post(self, _: Request) -> Response:
        """Make a session; what is not given gets its default."""
        fields = cast(SessionFields, {"language": _language(), **self.valid(SessionInput)})
        session = sessions.create(owner=self.user, fields=fields)
        return Response(SessionSerializer(session).data, status=status.HTTP_201_CREATED)


class SessionDetail(View):
    """One session."""

    @extend_schema(operation_id="sessions_get", responses={200: SessionSerializer, **FOUND})
    def get(self, _: Request, session_id: int) -> Response:
        """One session."""
        return Response(SessionSerializer(self.session(session_id)).data)

    @extend_schema(
        operation_id="sessions_change",
        request=SessionPatch,
        responses={200: SessionSerializer, **FOUND, **WRITTEN},
    )
    def patch(self, _: Request, session_id: int) -> Response:
        """Change the given fields.

        During a run the permission level holds at once, everything else from the next run on.
        """
        session = self.session(session_id)
        fields = cast(SessionFields, self.valid(SessionPatch))
        session = sessions.update(session=session, fields=fields)
        return Response(SessionSerializer(session).data)

    @extend_schema(operation_id="sessions_delete", responses={204: None, **FOUND, **CONFLICT})
    def delete(self, _: Request, session_id: int) -> Response:
        """Delete a session with its messages; refused during a run. Files in its workspace stay."""
        sessions.delete(session=self.session(session_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _language() -> str:
    """The language in which the user reads, as far as sessions speak it."""
    return "zh-hans" if (get_language() or "").startswith("zh") else "en"
