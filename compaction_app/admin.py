"""Compactions, their events and reports: read-only."""

from typing import TypeVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)

M = TypeVar("M", bound=Model)


class ReadOnlyAdmin(admin.ModelAdmin[M]):
    """Written by compactions only; the summary's text is read for its own page only."""

    list_per_page = 50
    show_full_result_count = False
    search_fields = ["session__id__exact"]
    search_help_text = "A session's id."

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


@admin.register(SessionCompaction)
class SessionCompactionAdmin(ReadOnlyAdmin[SessionCompaction]):
    list_display = [
        "session_id",
        "compact_count",
        "last_compacted_msg_id",
        "compact_model",
        "updated_at",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[SessionCompaction]:
        return super().get_queryset(request).select_related("session").defer("summary_text")


@admin.register(SessionCompactionEvent)
class SessionCompactionEventAdmin(ReadOnlyAdmin[SessionCompactionEvent]):
    list_display = [
        "id",
        "session_id",
        "trigger_mode",
        "outcome",
        "tier",
        "before_tokens",
        "after_tokens",
        "saved_tokens",
        "summary_tokens",
        "duration_ms",
        "created_at",
    ]
    list_filter = ["trigger_mode", "outcome", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[SessionCompactionEvent]:
        return super().get_queryset(request).select_related("session").defer("summary_text")


@admin.register(SessionCompactionReport)
class SessionCompactionReportAdmin(ReadOnlyAdmin[SessionCompactionReport]):
    list_display = [
        "session_id",
        "tool_calls",
        "intents",
        "expired",
        "missed",
        "acts",
        "ok",
        "errors",
    ]
