"""Where sockets lead. A path that is none gets the same answer as a session that is none."""

from django.urls import path, re_path

from sessions_app.consumers import SessionSocket

websocket_urlpatterns = [  # Channels puts ASGI applications where Django has views
    path("ws/sessions/<int:session_id>", SessionSocket.as_asgi()),  # type: ignore[arg-type]
    re_path(r"", SessionSocket.as_asgi()),  # type: ignore[arg-type]
]
