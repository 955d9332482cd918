"""Compactions, their events and reports: read-only."""

from typing import Any, TypeVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)
from compaction_app.words import told

M = TypeVar("M", bound=Model)


class ReadOnlyAdmin(admin.ModelAdmin[M]):
    """Written by compactions only; the summary's text is read for its own page only."""

    list_per_page = 50
    show_full_result_count = False
    search_fields = ["session__id__exact"]
    search_help_text = _("A session's id.")

    @admin.display(description="ID", ordering="pk")
    def number(self, row: Any) -> int:
        """The key; of most tables here it is the session's."""
        return int(row.pk)

    @admin.display(description=_("session"), ordering="session")
    def session_link(self, row: Any) -> SafeString:
        path = reverse("admin:sessions_app_session_change", args=[row.session_id])
        return format_html('<a href="{}">{}</a>', path, row.session_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


@admin.register(SessionCompaction)
class SessionCompactionAdmin(ReadOnlyAdmin[SessionCompaction]):
    list_display = [
        "number",
        "session_link",
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
        "session_link",
        "trigger_mode",
        "outcome",
        "tier",
        "compacted_message_count",
        "size",
        "summary_tokens",
        "cost",
        "compact_model",
        "duration_ms",
        "created_at",
    ]
    list_filter = ["trigger_mode", "outcome", "tier", "created_at"]
    search_fields = ["session__id__exact", "execution_id", "error"]
    search_help_text = _("A session's id, an execution id, words of an error.")

    @admin.display(description=_("before → after (tokens)"), ordering="saved_tokens")
    def size(self, row: SessionCompactionEvent) -> str:
        return f"{_shown(row.before_tokens)} \u2192 {_shown(row.after_tokens)}"

    @admin.display(description=_("prompt (cached) + output tokens"))
    def cost(self, row: SessionCompactionEvent) -> str:
        """What the summary call took, as the provider reported it."""
        if row.prompt_tokens is None:
            return "-"
        cached, completion = _shown(row.cached_tokens), _shown(row.completion_tokens)
        return f"{row.prompt_tokens:,} ({cached}) + {completion}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[SessionCompactionEvent]:
        return super().get_queryset(request).select_related("session").defer("summary_text")


@admin.register(SessionCompactionReport)
class SessionCompactionReportAdmin(ReadOnlyAdmin[SessionCompactionReport]):
    list_display = [
        "number",
        "session_link",
        "tool_calls",
        "intents",
        "expired",
        "missed",
        "acts",
        "ok",
        "errors",
        "last",
        "problem",
    ]

    @admin.display(description=_("last act"))
    def last(self, row: SessionCompactionReport) -> str:
        act = row.last_act
        if not act:
            return "-"
        size = f"{_shown(act['beforeTokens'])} \u2192 {_shown(act['afterTokens'])}"
        return f"{told(act['trigger'], act['outcome'])}: {size}, {act['durationMs']:,} ms"

    @admin.display(description=_("last error"))
    def problem(self, row: SessionCompactionReport) -> str:
        return f"{row.last_error['code']}: {row.last_error['message']}" if row.last_error else "-"


def _shown(tokens: int | None) -> str:
    return "-" if tokens is None else f"{tokens:,}"
