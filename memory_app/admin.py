"""Memories, to be looked at."""

from django.contrib import admin
from django.http import HttpRequest

from memory_app.models import MemoryItem


@admin.register(MemoryItem)
class MemoryItemAdmin(admin.ModelAdmin[MemoryItem]):
    list_display = [
        "id",
        "content",
        "owner",
        "scope",
        "project_key",
        "source",
        "status",
        "updated_at",
    ]
    list_display_links = ["id", "content"]
    list_filter = ["status", "scope", "source", "updated_at"]
    list_select_related = ["owner"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["content", "project_key", "owner__username"]
    search_help_text = "Words of the content, the project or the owner."

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: MemoryItem | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: MemoryItem | None = None) -> bool:
        return False
