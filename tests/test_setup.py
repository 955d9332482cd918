"""scripts/setup in a folder of its own: makes the environment once, says clearly what it lacks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

NEEDED = ["bash", "cat", "dirname", "env", "grep", "rm"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts, with nothing to install, and no way to install Debian packages."""
    folder = tmp_path / "check out"
    shutil.copytree(settings.BASE_DIR / "scripts", folder / "scripts")
    (folder / "scripts" / "install-debian").write_text("#!/bin/sh\nexit 1\n")
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-pymysql.txt"):
        (folder / name).write_text("# nothing but\nmysqlclient==0\n")
    return folder


@pytest.fixture
def without_python(tmp_path: Path) -> str:
    """A PATH on which the script finds its tools, but neither Python nor MySQL's headers."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(shutil.which(name) or name)
    return str(folder)


def setup(
    checkout: Path, *arguments: str, path: str = "", python: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "scripts/setup", *arguments],
        cwd=checkout,
        env={"PATH": path or os.environ["PATH"], "PYTHON": python, "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
    )


def test_it_makes_the_environment_once(checkout: Path, without_python: str) -> None:
    first = setup(checkout, path=without_python, python=sys.executable)
    assert first.returncode == 0, first.stderr
    assert "setup: no MySQL driver could be installed; SQLite works." in first.stdout
    assert first.stdout.splitlines()[-1] == "setup: ready"
    second = setup(checkout, path=without_python)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_it_names_the_python_it_needs(checkout: Path, without_python: str) -> None:
    result = setup(checkout, path=without_python)
    assert result.returncode == 1
    assert "Python 3.11 or newer is needed" in result.stderr
    assert "PYTHON=/path/to/python3.11 make run" in result.stderr


def test_it_names_the_modes_it_has(checkout: Path) -> None:
    result = setup(checkout, "everything")
    assert (result.returncode, result.stderr) == (
        1,
        "setup: 'everything' is no mode; allowed: run, test.\n",
    )
