"""The addresses of memories: REST and the settings page."""

from django.urls import path

from memory_app import views
from memory_app.api import MemoryDetail, MemoryList

urlpatterns = [
    path("v1/memory", MemoryList.as_view(), name="api_memories"),
    path("v1/memory/<int:memory_id>", MemoryDetail.as_view(), name="api_memory"),
    path("settings/memory", views.memory_settings, name="memory_settings"),
]
