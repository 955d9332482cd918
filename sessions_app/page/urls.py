"""The addresses of the pages."""

from django.urls import path

from sessions_app import views

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
]
