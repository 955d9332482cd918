"""An ASGI application that sends 64 MiB to each socket; by HTTP it says how much it has sent."""

from typing import Any

from sessions_app.daphne_pacing import paced

MIB = 1024 * 1024
FLOOD_MIB = 64

sent_mib = 0


async def application(scope: Any, receive: Any, send: Any) -> None:
    """The application."""
    if scope["type"] == "websocket":
        await flood(receive, paced(send))
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(sent_mib).encode()})


async def flood(receive: Any, send: Any) -> None:
    """Send it all, then close."""
    global sent_mib
    await receive()
    await send({"type": "websocket.accept"})
    for _ in range(FLOOD_MIB):
        await send({"type": "websocket.send", "text": "x" * MIB})
        sent_mib += 1
    await send({"type": "websocket.close", "code": 1000})
