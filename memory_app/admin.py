"""Memories: to be found and looked at; an owner's words are nobody else's to change.

Staff may dismiss and restore, which hides nothing and loses nothing.
"""

from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agent.prompt.quoting import bare_line, quoted
from memory_app import services, usage
from memory_app.errors import MemoryRefused
from memory_app.models import MemoryItem, MemoryUse

LISTED_SESSIONS = 20
SHOWN_CHARS = 120
SHOWN_PROJECTS = 200
USE = _("session %(session)s (requests: %(requests)s, tokens: %(tokens)s, last at %(time)s)")

Status = MemoryItem.Status


class ProjectFilter(admin.SimpleListFilter):
    """By project; its identity decides, not how a collation compares the key."""

    title = _("project")
    parameter_name = "project"

    def lookups(
        self, request: HttpRequest, model_admin: admin.ModelAdmin[MemoryItem]
    ) -> list[tuple[str, str]]:
        rows = MemoryItem.objects.exclude(project_hash="").order_by()
        keys = dict(rows.values_list("project_hash", "project_key").distinct())
        shown = [(digest, bare_line(key)) for digest, key in keys.items()]
        return sorted(shown, key=lambda pair: pair[1])[:SHOWN_PROJECTS]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[MemoryItem]
    ) -> QuerySet[MemoryItem]:
        return queryset.filter(project_hash=self.value()) if self.value() else queryset


@admin.register(MemoryItem)
class MemoryItemAdmin(admin.ModelAdmin[MemoryItem]):
    list_display = [
        "id",
        "beginning",
        "owner",
        "status",
        "scope",
        "project",
        "source",
        "last_session",
        "created_at",
        "updated_at",
    ]
    list_display_links = ["id", "beginning"]
    list_filter = [
        "status",
        "scope",
        "source",
        ProjectFilter,
        ("owner", admin.RelatedOnlyFieldListFilter),
        "updated_at",
    ]
    list_select_related = ["owner"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["content", "project_key", "owner__username"]
    search_help_text = _("Words of the content, the project or the owner.")
    actions = ["dismiss", "restore"]
    fields = [
        "owner",
        "text",
        "scope",
        "project",
        "status",
        "source",
        "origin",
        "created_at",
        "updated_at",
        "carried_by",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemoryItem]:
        """With the session of the newest request that carried each."""
        uses = MemoryUse.objects.filter(memory_id=OuterRef("pk")).order_by("-id")
        return (
            super().get_queryset(request).annotate(used_by=Subquery(uses.values("session_id")[:1]))
        )

    @admin.display(description=_("content"), ordering="content")
    def beginning(self, row: MemoryItem) -> str:
        return bare_line(row.content)[:SHOWN_CHARS]

    @admin.display(description=_("content"))
    def text(self, row: MemoryItem) -> str:
        """As prompts quote it: nothing in it can hide, reorder the page or pose as another line."""
        return quoted(row.content)

    @admin.display(description=_("project key"), ordering="project_key")
    def project(self, row: MemoryItem) -> str:
        return bare_line(row.project_key) or "-"

    @admin.display(description=_("last used by session"))
    def last_session(self, row: MemoryItem) -> SafeString | None:
        used_by: int | None = getattr(row, "used_by", None)
        return _session_link(used_by) if used_by else None

    @admin.display(description=_("written in"))
    def origin(self, row: MemoryItem) -> str:
        if row.origin_session_id is None:
            return "-"
        link = _session_link(row.origin_session_id)
        session = format_html(gettext("session %(id)s") % {"id": "{}"}, link)
        if row.origin_message_id is None:
            return session
        message = gettext("message %(id)s") % {"id": row.origin_message_id}
        return format_html("{}, {}", session, message)

    @admin.display(description=_("carried by requests of"))
    def carried_by(self, row: MemoryItem) -> SafeString:
        """The sessions that used it last."""
        used = usage.sessions(memory_id=row.pk, limit=LISTED_SESSIONS)
        return format_html_join(
            SafeString("<br>"),
            USE % {name: f"{{{name}}}" for name in ("session", "requests", "tokens", "time")},
            (
                {
                    "session": _session_link(one.session_id),
                    "requests": one.requests,
                    "tokens": one.tokens,
                    "time": f"{one.last_at:%Y-%m-%d %H:%M}",
                }
                for one in used
            ),
        )

    @admin.action(description=_("Dismiss: no run gets them any more"), permissions=["govern"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[MemoryItem]) -> None:
        self._set_status(request, queryset, Status.DISMISSED)

    @admin.action(description=_("Restore: runs get them again"), permissions=["govern"])
    def restore(self, request: HttpRequest, queryset: QuerySet[MemoryItem]) -> None:
        """Proposals are left alone: to accept them is their owner's."""
        self._set_status(request, queryset.exclude(status=Status.PROPOSED), Status.ACTIVE)

    def has_govern_permission(self, request: HttpRequest) -> bool:
        """Who may change memories at all may dismiss and restore."""
        return request.user.has_perm("memory_app.change_memoryitem")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: MemoryItem | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: MemoryItem | None = None) -> bool:
        return False

    def _set_status(self, request: HttpRequest, rows: QuerySet[MemoryItem], status: Status) -> None:
        """One after the other, so that the limit holds; those that are refused are named."""
        changed = 0
        for row in rows.exclude(status=status).order_by("pk"):
            try:
                services.memory_update(
                    owner_id=row.owner_id, memory_id=row.pk, fields={"status": status}
                )
                changed += 1
            except (MemoryRefused, Http404) as refused:
                self.message_user(request, f"{_named(row)}: {refused}", messages.ERROR)
        self.message_user(
            request, gettext("%(number)s changed.") % {"number": changed}, messages.SUCCESS
        )


def _named(row: MemoryItem) -> str:
    return gettext("Memory %(id)s") % {"id": row.pk}


def _session_link(session_id: int) -> SafeString:
    path = reverse("admin:sessions_app_session_change", args=[session_id])
    return format_html('<a href="{}">{}</a>', path, session_id)
