"""The ASGI application: HTTP by Django, websockets by Channels."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
http = get_asgi_application()

from sessions_app import sweeper  # noqa: E402 - needs the apps loaded
from sessions_app.routing import websocket_urlpatterns  # noqa: E402
from sessions_app.socket_auth import SocketAuth  # noqa: E402

sweeper.start()

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": SocketAuth(URLRouter(websocket_urlpatterns)),  # type: ignore[arg-type]
    }
)
