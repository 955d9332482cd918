"""Two server processes, one database, one Redis: news of one is seen in the other at once."""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from websockets.sync.client import ClientConnection, connect

from tests.services.private_server import free_port, running

pytestmark = pytest.mark.services
RUNS = 5

Environment = dict[str, str]


@pytest.fixture
def environment(redis_url: str, tmp_path: Path) -> Environment:
    """What both processes share."""
    return {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), "REDIS_URL": redis_url}


@pytest.fixture
def manage(environment: Environment) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command,
            cwd=settings.BASE_DIR,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    return run


@pytest.fixture
def authorization(manage: Callable[..., str]) -> dict[str, str]:
    """The demo user's token; its session has the id 1."""
    manage("quickstart", "--prepare-only")
    return {"Authorization": f"Token {manage('drf_create_token', 'demo').split()[2]}"}


@pytest.fixture
def servers(
    authorization: dict[str, str], environment: Environment, tmp_path: Path
) -> Iterator[tuple[str, str]]:
    """Host and port of each."""
    with ExitStack() as stack:
        addresses = []
        for name in ("a", "b"):
            port = free_port()
            daphne = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port)]
            command = ["env", "-C", str(settings.BASE_DIR)]
            command += [f"{key}={value}" for key, value in environment.items()]
            command += [*daphne, "config.asgi:application"]
            stack.enter_context(running(command, port=port, log=tmp_path / f"{name}.log"))
            addresses.append(f"127.0.0.1:{port}")
        yield addresses[0], addresses[1]


def send(address: str, authorization: dict[str, str], content: str) -> None:
    request = urllib.request.Request(
        f"http://{address}/v1/sessions/1/messages",
        data=json.dumps({"content": content}).encode(),
        headers={**authorization, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        assert response.status == 202


def run_frames(socket: ClientConnection) -> list[int]:
    """The seqs of the stored frames of one run, read until its end."""
    seqs = []
    while True:
        frame = json.loads(socket.recv(timeout=30))
        if frame["seq"] is not None:
            seqs.append(frame["seq"])
        if frame["type"] == "session_status" and frame["data"]["phase"] == "COMPLETED":
            return seqs


def test_a_frame_of_one_process_reaches_the_sockets_of_the_other_at_once(
    servers: tuple[str, str], authorization: dict[str, str]
) -> None:
    delays = []
    with ExitStack() as stack:
        near, far = [
            stack.enter_context(
                connect(f"ws://{address}/ws/sessions/1", additional_headers=authorization)
            )
            for address in servers
        ]
        for number in range(RUNS):
            send(servers[0], authorization, f"hello {number}")
            frames, told = run_frames(near), time.monotonic()
            assert run_frames(far) == frames
            delays.append(time.monotonic() - told)
    assert statistics.median(delays) < 0.3  # looking once a second alone needs 0.7 and more
