from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from sessions_app.admin.record import RecordAdmin
from sessions_app.models import Run


@admin.register(Run)
class RunAdmin(RecordAdmin[Run]):
    list_display = ["execution_id", "session_link", "phase", "started_at", "ended_at", "error"]
    list_filter = ["phase", "started_at"]
    search_fields = ["session__id__exact", "execution_id"]
    search_help_text = _("A session's id or an execution id.")
    fields = ["execution_id", "session_link", "phase", "error", "started_at", "ended_at"]
