from django.contrib import admin

from sessions_app.models import AgentProfile


@admin.register(AgentProfile)
class AgentProfileAdmin(admin.ModelAdmin[AgentProfile]):
    list_display = ["name", "owner", "default"]
    list_filter = ["default"]
    list_select_related = ["owner"]
    search_fields = ["name", "owner__username"]
    autocomplete_fields = ["owner"]
