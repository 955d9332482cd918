"""Whatever depends on the database holds on MariaDB as it does on SQLite."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.services


@pytest.mark.timeout(1_200)
def test_every_storage_test_passes_on_mariadb(mariadb_url: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-m", "storage", "-p", "no:cacheprovider"]
    measured = {"COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"}  # once is enough
    inherited = {key: value for key, value in os.environ.items() if key not in measured}
    environment = {**inherited, "DATABASE_URL": mariadb_url, "VAR_DIR": str(tmp_path)}
    result = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-5_000:] + result.stderr[-5_000:]
    assert " passed" in result.stdout
