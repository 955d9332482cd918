"""A private Redis: nothing on disk, its own port, gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services.private_server import free_port, program, running


@contextmanager
def private_redis(folder: Path) -> Iterator[str]:
    """Start one; yields its REDIS_URL."""
    port = free_port()
    network = ["--port", str(port), "--bind", "127.0.0.1"]
    memory_only = ["--save", "", "--appendonly", "no", "--dir", str(folder)]
    with running([program("redis-server"), *network, *memory_only], port=port, log=folder / "log"):
        yield f"redis://127.0.0.1:{port}"
