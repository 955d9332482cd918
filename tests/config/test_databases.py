"""DATABASE_URL: SQLite below the checkout or anywhere, MySQL with its collation."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.databases import database


def read(monkeypatch: pytest.MonkeyPatch, url: str, base: Path) -> dict[str, Any]:
    monkeypatch.setenv("DATABASE_URL", url)
    return database(base=base, var=base / "var", synchronous="FULL")


@pytest.mark.parametrize(("url", "name"), [("", "var/vitrine.sqlite3"), ("sqlite:///a/b", "a/b")])
def test_it_puts_sqlite_below_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str, name: str
) -> None:
    found = read(monkeypatch, url, tmp_path)
    assert found["NAME"] == tmp_path / name
    assert found["NAME"].parent.is_dir()
    assert "PRAGMA synchronous=FULL" in found["OPTIONS"]["init_command"]


def test_it_takes_an_absolute_sqlite_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = read(monkeypatch, f"sqlite:///{tmp_path}/x.sqlite3", Path("/nowhere"))
    assert found["NAME"] == tmp_path / "x.sqlite3"


def test_it_reads_a_mysql_url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = read(monkeypatch, "mysql://u:p%40ss@db:3307/vitrine?ssl_mode=REQUIRED", tmp_path)
    wanted = ("ENGINE", "USER", "PASSWORD", "HOST", "PORT", "NAME")
    assert [found[key] for key in wanted] == [
        *("django.db.backends.mysql", "u", "p@ss", "db", 3307, "vitrine")
    ]
    assert found["OPTIONS"] == {
        "ssl_mode": "REQUIRED",
        "charset": "utf8mb4",
        "collation": "utf8mb4_unicode_520_ci",
    }


@pytest.mark.parametrize("url", ["mysql://", "mysql://db", "mysql://db:port/x", "sqlite:///"])
def test_it_refuses_an_incomplete_url(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"allowed: sqlite:///PATH or mysql://USER"):
        read(monkeypatch, url, tmp_path)


def test_it_never_shows_a_password(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        read(monkeypatch, "postgres://u:se:cr@t@db/x", tmp_path)
    assert "DATABASE_URL='postgres://u:***@db/x' is not valid" in str(caught.value)


def test_it_refuses_a_file_whose_folder_cannot_be_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match="a file in a folder that can be made"):
        read(monkeypatch, f"sqlite:///{tmp_path}/file/x/db.sqlite3", tmp_path)
