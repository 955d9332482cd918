"""A wrong environment stops the start with one clean line: the name, the value, what is allowed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Run `manage.py check` with these variables and nothing of this process's environment."""

    def run(**variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "check"],
            cwd=settings.BASE_DIR,
            env={"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path / "var"), **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("ALLOWED_HOSTS", "*", "host names without scheme, separated by commas, never '*'"),
        ("COMPACTION_TIER", "tiny", "light, standard, heavy"),
        ("COMPACTION_TRIGGER_RATIO", "0", "a ratio, more than 0 and at most 1"),
        ("COMPACTION_TRIGGER_RATIO", "1.5", "a ratio, more than 0 and at most 1"),
        ("COMPACTION_TRIGGER_RATIO", "abc", "a ratio, more than 0 and at most 1"),
        ("CSRF_TRUSTED_ORIGINS", "x", "origins like https://example.org, separated by commas"),
        ("DATABASE_URL", "postgres://x", "sqlite:///PATH or mysql://USER:PASS@HOST:PORT/NAME"),
        ("DEBUG", "maybe", "1, true, yes, on, 0, false, no, off"),
        ("LEASE_S", "-1", "seconds, more than 0 and at most 86400"),
        ("MAX_ROUNDS", "0", "a whole number from 1 to 2147483647"),
        ("OPENAI_BASE_URL", "localhost", "http://HOST or https://HOST"),
        ("PORT", "70000", "a whole number from 1 to 65535"),
        ("REDIS_URL", "foo", "redis://HOST or rediss://HOST or unix://PATH"),
        ("RUN_WORKERS", "threads", "inline"),
        ("SHELL_TOOL", "yes", "sandbox, host, off"),
        ("SQLITE_SYNCHRONOUS", "OFF", "NORMAL, FULL"),
        ("WORKSPACE_ROOTS", ",", "folders, separated by commas"),
        ("WORKSPACE_ROOTS", "/dev/null", "a folder that can be made (File exists)"),
    ],
)
def test_it_refuses_a_bad_value_in_one_line(
    start: Start, name: str, value: str, allowed: str
) -> None:
    result = start(**{name: value})
    assert (result.returncode, result.stderr, result.stdout) == (
        1,
        f"{name}={value!r} is not valid; allowed: {allowed}.\n",
        "",
    )


def test_it_starts_with_no_variables_at_all(start: Start, tmp_path: Path) -> None:
    result = start()
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_it_finds_settings_that_do_not_go_together(start: Start) -> None:
    result = start(DEBUG="1", HOST="0.0.0.0")
    assert result.returncode == 1
    assert "DEBUG=1 while HOST or ALLOWED_HOSTS opens the server" in result.stderr
