from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from sessions_app.admin.record import RecordAdmin
from sessions_app.models import RequestLog


@admin.register(RequestLog)
class RequestLogAdmin(RecordAdmin[RequestLog]):
    list_display = [
        "id",
        "session_link",
        "kind",
        "model_name",
        "estimated",
        "actual",
        "cached_tokens",
        "output_tokens",
        "duration_ms",
        "stop_reason",
        "created_at",
    ]
    list_filter = ["kind", "created_at"]
    search_fields = ["session__id__exact", "execution_id", "model_name"]
    search_help_text = _("A session's id, an execution id, or a model's name.")
    exclude = ["session"]
    readonly_fields = ["session_link"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[RequestLog]:
        return super().get_queryset(request).defer("manifest", "parts", "error")
