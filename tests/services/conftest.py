"""One MariaDB and one Redis for all tests of this folder."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.mariadb import private_mariadb
from tests.services.redis import private_redis


@pytest.fixture(scope="session")
def short_folder() -> Iterator[Path]:
    """A folder with a short path: that of a Unix socket may have 107 bytes only."""
    with tempfile.TemporaryDirectory(prefix="vt-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def mariadb_url(short_folder: Path) -> Iterator[str]:
    """The DATABASE_URL of a private MariaDB."""
    folder = short_folder / "m"
    folder.mkdir()
    with private_mariadb(folder) as url:
        yield url


@pytest.fixture(scope="session")
def redis_url(short_folder: Path) -> Iterator[str]:
    """The REDIS_URL of a private Redis."""
    folder = short_folder / "r"
    folder.mkdir()
    with private_redis(folder) as url:
        yield url
