"""Rows of a session that happened: to be read, never to be changed."""

from typing import Any, TypeVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

M = TypeVar("M", bound=Model)


class RecordAdmin(admin.ModelAdmin[M]):
    """A read-only table whose rows belong to a session."""

    list_per_page = 50
    show_full_result_count = False

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
