"""`/v1/sessions/{id}/messages`, and the full output of a cut tool result."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import runs, selectors
from sessions_app.api.inputs import MessageInput
from sessions_app.api.openapi import BEFORE, CONFLICT, FOUND, LIMIT, LISTED, WRITTEN
from sessions_app.api.paging import before_of, limit_of, page
from sessions_app.api.view import View
from sessions_app.models import Session
from sessions_app.serializers import (
    MessagePageSerializer,
    MessageSerializer,
    OutputSerializer,
    StartedSerializer,
)


class MessageList(View):
    """What was said in a session."""

    @extend_schema(
        operation_id="messages_list",
        parameters=[LIMIT, BEFORE],
        responses={200: MessagePageSerializer, **LISTED, **FOUND},
    )
    def get(self, request: Request, session_id: int) -> Response:
        """The newest messages below `before`, oldest first within the page."""
        session = self.session(session_id)
        limit = limit_of(request)
        rows = selectors.messages(session=session, before=before_of(request), limit=limit + 1)
        context = {"boundary": selectors.boundary(session.pk)}
        return Response(
            page(
                rows,
                limit,
                shape=lambda shown: MessageSerializer(shown[::-1], many=True, context=context).data,
                key=lambda message: message.pk,
            )
        )

    @extend_schema(
        operation_id="messages_send",
        request=MessageInput,
        responses={202: StartedSerializer, **FOUND, **WRITTEN, **CONFLICT},
    )
    def post(self, _: Request, session_id: int) -> Response:
        """Say something: starts a run. The same `eventId` twice starts one run."""
        session = self.session(session_id)
        fields = self.valid(MessageInput)
        content, event_id = fields["content"], fields.get("event_id", "")
        try:
            started = runs.start(session_id=session.pk, content=content, event_id=event_id)
        except Session.DoesNotExist as deleted:  # a moment ago
            raise Http404(f"There is no session {session.pk}.") from deleted
        data = {"executionId": started.execution_id, "messageId": started.message_id}
        return Response(data, status=status.HTTP_202_ACCEPTED)


class MessageOutput(View):
    """The whole output of a tool call whose result was cut."""

    @extend_schema(operation_id="messages_output", responses={200: OutputSerializer, **FOUND})
    def get(self, _: Request, session_id: int, message_id: int) -> Response:
        """The output as the tool gave it; 404 when nothing was cut."""
        output = selectors.tool_output(session=self.session(session_id), message_id=message_id)
        return Response(OutputSerializer(output).data)
