"""Sending by daphne waits for a client that does not read, and goes on when it does."""

import asyncio
import sys
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from websockets.sync.client import connect

from sessions_app.daphne_pacing import paced
from tests.services.private_server import free_port, running
from tests.sessions_app.flood import FLOOD_MIB, MIB


@pytest.fixture
def daphne(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a real daphne that serves the flood."""
    monkeypatch.chdir(settings.BASE_DIR)
    port = free_port()
    application = "tests.sessions_app.flood:application"
    command = [sys.executable, "-m", "daphne", "-p", str(port), application]
    with running(command, port=port, log=tmp_path / "log"):
        yield port


def sent_mib(port: int) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/", timeout=10) as answer:
        return int(answer.read())


def steady_mib(port: int) -> int:
    """How much was sent when the server stopped sending."""
    before, now = -1, 0
    while now != before:
        time.sleep(0.3)
        before, now = now, sent_mib(port)
    return now


def test_it_waits_for_a_client_that_does_not_read(daphne: int) -> None:
    with connect(f"ws://127.0.0.1:{daphne}/", max_queue=1, max_size=None, proxy=None) as client:
        assert steady_mib(daphne) < FLOOD_MIB / 2
        received = sum(len(message) for message in client)
        assert (received, sent_mib(daphne)) == (FLOOD_MIB * MIB, FLOOD_MIB)
        assert client.close_code == 1000


async def test_it_leaves_the_send_of_other_servers_alone() -> None:
    queue: asyncio.Queue[str] = asyncio.Queue()
    wrapped = partial(queue.put)
    assert paced(queue.put) == queue.put
    assert paced(wrapped) is wrapped
