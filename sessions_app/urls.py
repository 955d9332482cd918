"""The addresses of REST, pages and sign-in link."""

from django.urls import URLPattern, URLResolver, include, path

from sessions_app.api.cancel import Cancel
from sessions_app.api.compact import Compact
from sessions_app.api.compaction import Compaction, CompactionUndo
from sessions_app.api.compactions import CompactionList
from sessions_app.api.context import Context
from sessions_app.api.health import Health
from sessions_app.api.messages import MessageList, MessageOutput
from sessions_app.api.models import ModelList
from sessions_app.api.requests import RequestDetail, RequestList
from sessions_app.api.schema import Docs, Schema
from sessions_app.api.sessions import SessionDetail, SessionList
from sessions_app.signin_view import signin_page

one_session = [
    path("messages", MessageList.as_view(), name="api_messages"),
    path("messages/<int:message_id>/output", MessageOutput.as_view(), name="api_output"),
    path("cancel", Cancel.as_view(), name="api_cancel"),
    path("compact", Compact.as_view(), name="api_compact"),
    path("compaction", Compaction.as_view(), name="api_compaction"),
    path("compaction/undo", CompactionUndo.as_view(), name="api_compaction_undo"),
    path("compactions", CompactionList.as_view(), name="api_compactions"),
    path("context", Context.as_view(), name="api_context"),
    path("requests", RequestList.as_view(), name="api_requests"),
    path("requests/<int:request_id>", RequestDetail.as_view(), name="api_request"),
]

v1: list[URLPattern | URLResolver] = [
    path("sessions", SessionList.as_view(), name="api_sessions"),
    path("sessions/<int:session_id>", SessionDetail.as_view(), name="api_session"),
    path("sessions/<int:session_id>/", include(one_session)),
    path("models", ModelList.as_view(), name="api_models"),
    path("schema", Schema.as_view(), name="schema"),
    path("docs", Docs.as_view(), name="docs"),
]

urlpatterns = [
    path("", include("sessions_app.page.urls")),
    path("signin/<str:token>", signin_page, name="signin"),
    path("v1/", include(v1)),
    path("healthz", Health.as_view(), name="healthz"),
]
