"""DATABASE_URL to Django's settings: SQLite for many writers, MySQL/MariaDB by either driver."""

import os
import re
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config import env

ALLOWED = "sqlite:///PATH or mysql://USER:PASS@HOST:PORT/NAME"


def database(*, base: Path, var: Path, synchronous: str) -> dict[str, Any]:
    """The settings of the default database."""
    url = env.text("DATABASE_URL", f"sqlite:///{var / 'vitrine.sqlite3'}")
    scheme = url.split(":", 1)[0]
    if scheme == "sqlite":
        return _sqlite(url, base=base, var=var, synchronous=synchronous)
    if scheme == "mysql":
        return _mysql(url)
    raise _not_valid(url)


def _not_valid(url: str, allowed: str = ALLOWED) -> ImproperlyConfigured:
    shown = re.sub(r"(//[^:/@]*:).*@", r"\1***@", url)  # a password belongs in no log
    return ImproperlyConfigured(f"DATABASE_URL={shown!r} is not valid; allowed: {allowed}.")


def _sqlite(url: str, *, base: Path, var: Path, synchronous: str) -> dict[str, Any]:
    name = url.removeprefix("sqlite://").removeprefix("/")
    if not name or name == ":memory:":
        raise _not_valid(url)
    path = base / name  # an absolute name replaces the base
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_valid(url, f"a file in a folder that can be made ({error.strerror})") from error
    pragmas = (
        f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA busy_timeout=20000;"
    )
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        # IMMEDIATE: a transaction that reads, then writes, waits for its turn instead of failing.
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": pragmas},
        "TEST": {"NAME": var / f"test-{os.getpid()}.sqlite3"},  # a file: runs use several threads
    }


def _mysql(url: str) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = {**dj_database_url.parse(url)}
    except ValueError as error:
        raise _not_valid(url) from error
    if not (parsed["HOST"] and parsed["NAME"]):
        raise _not_valid(url)
    _use_available_driver()
    options = {"charset": "utf8mb4", "collation": "utf8mb4_unicode_520_ci"}
    return {
        **parsed,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**parsed.get("OPTIONS", {}), **options},
        "TEST": {"CHARSET": "utf8mb4", "COLLATION": "utf8mb4_unicode_520_ci"},
    }


def _use_available_driver() -> None:
    """mysqlclient where it could be built, else PyMySQL in its place."""
    try:
        import MySQLdb  # noqa: F401, PLC0415 - only looked for when MySQL is asked for
    except ImportError:
        import pymysql  # noqa: PLC0415 - only then

        pymysql.install_as_MySQLdb()
