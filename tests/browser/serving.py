"""The server in a thread, and how Chromium is started. Also used to take the pictures of docs/."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

SHELL = Path("/usr/bin/chromium-headless-shell")  # Chromium without its windows: half the work
CHROMIUM = SHELL if SHELL.exists() else Path("/usr/bin/chromium")
# Without a sandbox (it may run as root) and without anything that talks to the network.
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
START_S, STOP_S = 10, 10


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """Serve on a free port of loopback; gives the address. Raises TimeoutError without a start."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    deadline = time.monotonic() + START_S
    while not server.started:
        if time.monotonic() > deadline:
            raise TimeoutError(f"The server did not start within {START_S} s.")
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(STOP_S)
        listener.close()
