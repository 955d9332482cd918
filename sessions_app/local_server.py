"""The server of `quickstart`: daphne in this process, on an address that was tried first."""

import errno
import socket
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

from channels.routing import get_default_application
from daphne.endpoints import build_endpoint_description_strings
from daphne.server import Server
from django.conf import settings


class AddressUnusable(Exception):
    """The server can't listen there; the text names host, port and what would do."""


def resolve(host: str) -> str:
    """The IP address that `host` (a name or an address) stands for. Raises AddressUnusable."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise AddressUnusable(_not_here(host)) from error
    return str(found[0][4][0])


def require_free(address: str, port: int) -> None:
    """Try to listen on this IP address. Raises AddressUnusable."""
    family = socket.AF_INET if ip_address(address).version == 4 else socket.AF_INET6
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
        try:
            trial.bind((address, port))
        except OSError as error:
            raise AddressUnusable(_why_not(error, address, port)) from error


def _why_not(error: OSError, address: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"PORT={port} is taken on {address} by another program; "
            f"choose another, for example PORT={_free_port()}."
        )
    if error.errno == errno.EACCES:
        return f"PORT={port} needs more rights than this user has; allowed: a port from 1024 on."
    return _not_here(address)


def _not_here(host: str) -> str:
    return (
        f"HOST={host!r} is no address of this machine; "
        "allowed: 127.0.0.1, ::1, localhost, 0.0.0.0, or an address or name of this machine."
    )


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def loopback_origin(address: str, port: int) -> str | None:
    """Where this machine's browser reaches a server that listens on this IP address.

    None if it does not listen on a loopback address.
    """
    ip = ip_address(address)
    if not (ip.is_loopback or ip.is_unspecified):
        return None
    if ip.version == 4:
        return f"http://{'127.0.0.1' if ip.is_unspecified else ip}:{port}"
    return f"http://[::1]:{port}"


def served_file() -> Path:
    """Where a running `quickstart` leaves its IP address and port for later commands."""
    path: Path = settings.VAR / "served"
    return path


def served(address: str, port: int) -> tuple[str, int]:
    """Where the server of this data folder listens; these if none runs."""
    try:
        address, number = served_file().read_text().split()
        return address, int(number)
    except (FileNotFoundError, ValueError):  # ValueError: it is being written
        return address, port


def serve(address: str, port: int, *, on_ready: Callable[[], None]) -> None:
    """Serve `ASGI_APPLICATION` until the process is told to stop (SIGINT, SIGTERM).

    `on_ready` is called once, when connections are taken.
    """
    Server(
        application=get_default_application(),
        endpoints=build_endpoint_description_strings(host=address, port=port),
        ready_callable=on_ready,
    ).run()
