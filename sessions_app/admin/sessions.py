"""Sessions: what their owners set may be changed here too; nothing is made here."""

from collections.abc import Iterable
from typing import cast

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from agent.errors import SessionAlreadyRunning
from sessions_app.admin.counted_deletion import Deletion, counted
from sessions_app.models import Session
from sessions_app.services import sessions
from sessions_app.services.sessions import SessionFields

SETTINGS = [
    "title",
    "model",
    "agent_profile",
    "project_key",
    "permission_level",
    "memory_injection_disabled",
    "compaction_tier",
]
STATE = [
    "owner",
    "phase",
    "context_tokens",
    "window_tokens",
    "workspace",
    "workspace_kind",
    "channel",
    "language",
    "time_zone",
    "created_at",
    "updated_at",
    "active_at",
    "records",
]
RECORDS = {
    "sessions_app_message": _("messages"),
    "sessions_app_run": _("runs"),
    "sessions_app_requestlog": _("requests"),
    "compaction_app_sessioncompactionevent": _("compaction events"),
}


@admin.register(Session)
class SessionAdmin(admin.ModelAdmin[Session]):
    list_display = ["id", "title", "owner", "model", "phase", "level", "channel", "active_at"]
    list_display_links = ["id", "title"]
    list_filter = ["phase", "channel", "permission_level", "active_at"]
    list_select_related = ["owner", "model"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["id__exact", "title", "owner__username", "project_key"]
    search_help_text = _("An id, or words of title, owner or project.")
    autocomplete_fields = ["model", "agent_profile"]
    fieldsets = [(_("Settings"), {"fields": (*SETTINGS,)}), (_("State"), {"fields": (*STATE,)})]
    readonly_fields = STATE

    @admin.display(description=_("context / window (tokens)"))
    def level(self, row: Session) -> str:
        def shown(tokens: int | None) -> str:
            return "-" if tokens is None else f"{tokens:,}"

        return f"{shown(row.context_tokens)} / {shown(row.window_tokens)}"

    @admin.display(description=_("records"))
    def records(self, row: Session) -> SafeString:
        """Links to lists, because a session may have 10,000 messages."""
        links = [
            (reverse(f"admin:{table}_changelist"), row.pk, label)
            for table, label in RECORDS.items()
        ]
        return format_html_join(" · ", '<a href="{}?session__id__exact={}">{}</a>', links)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: Session,
        form: forms.ModelForm[Session],
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Write what was changed and no more: a run may be writing the rest."""
        changed = {name: form.cleaned_data[name] for name in form.changed_data}
        stored = Session.objects.select_related("model").get(pk=obj.pk)
        sessions.update(session=stored, fields=cast(SessionFields, changed))

    def get_deleted_objects(self, objs: Iterable[Session], request: HttpRequest) -> Deletion:
        rows = list(objs)
        return counted(rows, [row.pk for row in rows])

    def delete_model(self, request: HttpRequest, obj: Session) -> None:
        try:
            sessions.delete(session=obj)
        except SessionAlreadyRunning as busy:  # since the page was shown
            raise PermissionDenied(busy.user_message) from busy

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> None:
        for session in queryset:
            self.delete_model(request, session)
