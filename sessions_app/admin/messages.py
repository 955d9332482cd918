"""Messages: read-only, since what was said was said."""

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Substr
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from sessions_app.admin.record import RecordAdmin
from sessions_app.models import Message

SHOWN_CHARS = 120


@admin.register(Message)
class MessageAdmin(RecordAdmin[Message]):
    list_display = ["id", "session_link", "role", "beginning", "tool_name", "tokens", "created_at"]
    list_filter = ["role", "created_at"]
    search_fields = ["session__id__exact", "tool_name", "content"]
    search_help_text = _("A session's id, a tool's name, or words of the text.")
    fields = [
        "session_link",
        "execution_id",
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "tool_name",
        "metadata",
        "tokens",
        "tokenizer",
        "created_at",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        """The list reads no text whole: a tool's result may have 50,000 characters."""
        shown = Substr("content", 1, SHOWN_CHARS)
        rows = super().get_queryset(request).annotate(shown=shown)
        return rows.defer("content", "tool_calls", "metadata")

    @admin.display(description=_("content"))
    def beginning(self, row: Message) -> str:
        return str(getattr(row, "shown", ""))
