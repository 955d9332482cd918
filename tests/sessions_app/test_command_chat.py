"""`manage.py chat` at a pseudo-terminal, and whose session a new one is."""

import errno
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from sessions_app.models import Session

WAIT_S = 60.0


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.master, slave = os.openpty()
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=django_settings.BASE_DIR,
            env={"PATH": os.environ["PATH"], "TERM": "dumb", "COLUMNS": "120", **variables},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=self._sit_down,
        )
        os.close(slave)

    @staticmethod
    def _sit_down() -> None:
        """Its terminal is where signals come from, also when the tests run in the background."""
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self.master, text.encode())

    def see(self, text: str) -> None:
        """Read until this text comes; what came with it is forgotten."""
        end = time.monotonic() + WAIT_S
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            assert self._read(), self.seen
        self.seen = self.seen.partition(text)[2]

    def end(self) -> int:
        """The exit code once the program has ended."""
        end = time.monotonic() + WAIT_S
        while self._read():
            assert time.monotonic() < end, self.seen
        return self.process.wait(timeout=WAIT_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def _read(self) -> bool:
        if not select.select([self.master], [], [], 1.0)[0]:
            return True
        try:
            self.seen += os.read(self.master, 65_536).decode(errors="replace")
        except OSError as error:
            if error.errno == errno.EIO:  # the other side is closed
                return False
            raise
        return True


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A chat in the first session, just begun."""
    variables = {"VAR_DIR": str(tmp_path), "DEMO": "1"}
    Terminal("quickstart", "--prepare-only", **variables).end()
    chat = Terminal("chat", "1", **variables)
    yield chat
    chat.close()


@pytest.mark.timeout(300)  # two programs start, on a machine that may be busy
def test_a_conversation_at_a_terminal(terminal: Terminal) -> None:
    terminal.see("Session 1: A tour of this checkout (rehearsal).")
    terminal.see("> ")
    terminal.type("read README.md\r")
    terminal.see('* read_file {"path": "README.md"}')
    terminal.see("of 16.0k tokens")
    terminal.see("> ")
    terminal.type("tour **/*.py\r")
    terminal.see("* read_file")
    terminal.type("\x03")
    terminal.see("* cancelled")
    terminal.see("> ")
    terminal.type("/compact\r")
    terminal.see(" by hand, about ")
    terminal.see("> ")
    terminal.type("never mind")
    terminal.see("never mind")
    time.sleep(0.3)  # until it waits again: before, readline overlooks a signal
    terminal.type("\x03")
    terminal.see("Ctrl-D or /quit leaves.")
    terminal.see("> ")
    terminal.type("\x04")
    assert terminal.end() == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], "--user is needed; there are: owner, stranger."),
        (["--user", "nobody"], "There is no user 'nobody'; there are: owner, stranger."),
    ],
)
def test_whose_a_new_session_is_must_be_clear(
    owner: User, stranger: User, options: list[str], reason: str
) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("chat", *options)
    assert str(caught.value) == reason
    assert not Session.objects.exists()


@pytest.mark.django_db
def test_without_any_user_it_says_how_to_make_one() -> None:
    with pytest.raises(CommandError, match=r"there are: none, see manage\.py createsuperuser"):
        call_command("chat")
