"""`manage.py quickstart` as a person runs it: a server, one link, nothing twice, a clean end."""

import os
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from http.cookiejar import CookieJar
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from pytest_django import Settings

from sessions_app.checks import MODEL_VARIABLES
from sessions_app.management.commands.quickstart import model_line
from tests.services.private_server import free_port

Quickstart = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def quickstart(tmp_path: Path) -> Iterator[Quickstart]:
    """Start it with its own data folder and a free port; what still runs is stopped at the end.

    It takes SIGINT also when the tests run in the background, where a shell lets it be ignored.
    """
    base = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), "PORT": str(free_port())}
    started = []

    def start(*arguments: str, **variables: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "manage.py", "quickstart", *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command,
            cwd=django_settings.BASE_DIR,
            env=base | variables,
            stdout=pipe,
            stderr=pipe,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def link_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return next(line.strip() for line in process.stdout if "/signin/" in line)


def test_it_serves_a_session_behind_a_link_that_works_once(quickstart: Quickstart) -> None:
    process = quickstart()
    link = link_of(process)
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with browser.open(link, timeout=30) as page:
        assert page.url.endswith("/sessions/1")
        assert 'data-testid="composer"' in page.read().decode()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(link, timeout=30)
    other = quickstart("--link", PORT="1234").communicate(timeout=60)[0]
    assert other.startswith(link.partition("/signin/")[0])  # where the server really is
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, "Traceback" in errors) == (0, "", False)


def test_a_second_start_makes_nothing_again(quickstart: Quickstart, tmp_path: Path) -> None:
    for arguments in (["--prepare-only"], ["--link"]):
        output, errors = quickstart(*arguments).communicate(timeout=60)
        assert errors == ""
    assert output.count("http://127.0.0.1:") == 1
    with closing(sqlite3.connect(tmp_path / "vitrine.sqlite3")) as database:
        counts = "SELECT (SELECT count(*) FROM auth_user), (SELECT count(*) FROM session)"
        assert database.execute(counts).fetchone() == (1, 1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("host", "expected"),
    [("0.0.0.0", "http://127.0.0.1:8000/signin/"), ("192.0.2.7", "manage.py changepassword demo")],
)
def test_a_link_leads_to_loopback_only(
    settings: Settings, tmp_path: Path, host: str, expected: str
) -> None:
    settings.HOST, settings.PORT, settings.VAR = host, 8000, tmp_path
    output = StringIO()
    call_command("quickstart", "--link", stdout=output)
    assert expected in output.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "expected"), [("", "built-in rehearsal model"), ("k", "New sessions use the model")]
)
def test_it_says_which_model_answers(
    monkeypatch: pytest.MonkeyPatch, key: str, expected: str
) -> None:
    for name in MODEL_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert expected in model_line()


def test_it_names_a_database_that_cannot_be_used(quickstart: Quickstart, tmp_path: Path) -> None:
    process = quickstart("--prepare-only", DATABASE_URL=f"sqlite:///{tmp_path}")
    output, errors = process.communicate(timeout=60)
    said = (
        "CommandError: The database of DATABASE_URL can't be used: unable to open database file\n"
    )
    assert (process.returncode, output, errors) == (1, "", said)


def test_it_names_a_port_that_is_taken(quickstart: Quickstart) -> None:
    link_of(quickstart())
    output, errors = quickstart().communicate(timeout=60)
    assert output == ""
    assert "is taken on 127.0.0.1 by another program; choose another, for example PORT=" in errors


def test_it_refuses_an_address_of_another_machine(quickstart: Quickstart) -> None:
    _, errors = quickstart(HOST="192.0.2.7").communicate(timeout=60)
    assert errors.startswith("CommandError: HOST='192.0.2.7' is no address of this machine;")
