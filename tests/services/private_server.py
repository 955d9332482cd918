"""A server program of our own on a free port: found or skipped, started, waited for, stopped."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

SEARCH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
START_S = 60


def program(name: str) -> str:
    """The path of an installed program; else the test is skipped, or fails where CI is set."""
    found = shutil.which(name, path=SEARCH)
    if found:
        return found
    if os.environ.get("CI"):
        pytest.fail(f"{name} is not installed, and CI may skip nothing")
    pytest.skip(f"{name} is not installed")


def free_port() -> int:
    """A TCP port of the loopback address that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: Sequence[str], *, port: int, log: Path) -> Iterator[None]:
    """Run the command until the block ends, entered once its port answers."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            _wait_until_it_answers(process, port, log)
            yield
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_it_answers(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')[-2_000:]}")
