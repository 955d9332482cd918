"""The secret key is made once, for its owner only, also when several processes start at once."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.secret import secret_key


def test_it_prefers_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", "from outside")
    assert secret_key(tmp_path / "key") == "from outside"
    assert not (tmp_path / "key").exists()


def test_it_keeps_what_it_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    first = secret_key(tmp_path / "key")
    assert len(first) >= 64
    assert secret_key(tmp_path / "key") == first
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["key"]


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    code = "import pathlib, sys, config.secret as s; print(s.secret_key(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tmp_path / "key")]
    starts = [
        subprocess.Popen(command, cwd=settings.BASE_DIR, env={}, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    keys = {start.communicate(timeout=60)[0].strip() for start in starts}
    assert keys == {(tmp_path / "key").read_text()}
