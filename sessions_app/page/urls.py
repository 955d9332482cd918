"""The addresses of the pages."""

from django.urls import path

from sessions_app import compaction_views, message_views, request_views, settings_views, views

urlpatterns = [
    path("", views.session_list, name="session_list"),
    path("sessions/<int:session_id>", views.session_page, name="session_page"),
    path("sessions/<int:session_id>/parts", views.session_parts, name="session_parts"),
    path("sessions/<int:session_id>/earlier", views.earlier_messages, name="earlier_messages"),
    path(
        "sessions/<int:session_id>/messages/<int:message_id>/fragment",
        views.message_fragment,
        name="message_fragment",
    ),
    path("sessions/<int:session_id>/requests", request_views.request_list, name="request_list"),
    path(
        "sessions/<int:session_id>/requests/<int:request_id>",
        request_views.request_page,
        name="request_page",
    ),
    path(
        "sessions/<int:session_id>/requests/<int:request_id>/parts/<slug:key>",
        request_views.request_part,
        name="request_part",
    ),
    path(
        "sessions/<int:session_id>/settings",
        settings_views.session_settings,
        name="session_settings",
    ),
    path("sessions/<int:session_id>/delete", settings_views.session_delete, name="session_delete"),
    path("sessions/<int:session_id>/send", message_views.send, name="send_form"),
    path("sessions/<int:session_id>/compact", compaction_views.compact, name="compact_form"),
    path("sessions/<int:session_id>/undo", compaction_views.undo, name="undo_form"),
    path("sessions/<int:session_id>/stop", compaction_views.stop, name="stop_form"),
    path("sessions/<int:session_id>/folded", compaction_views.folded_messages, name="folded"),
    path(
        "sessions/<int:session_id>/compactions",
        compaction_views.compaction_history,
        name="compaction_history",
    ),
    path(
        "sessions/<int:session_id>/compactions/<int:event_id>",
        compaction_views.summary,
        name="compaction_summary",
    ),
]
