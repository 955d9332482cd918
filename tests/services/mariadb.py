"""A private MariaDB: its own data folder, its own port, gone afterwards."""

import getpass
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.services.private_server import free_port, program, running

SMALL = ["--innodb-log-file-size=8M", "--innodb-data-file-path=ibdata1:8M:autoextend"]
# A throw-away server: nothing has to survive a power loss.
FAST = ["--innodb-flush-log-at-trx-commit=0", "--sync-binlog=0", "--innodb-buffer-pool-size=64M"]


@contextmanager
def private_mariadb(folder: Path) -> Iterator[str]:
    """Start one; yields the DATABASE_URL of an empty database named `vitrine`."""
    server, install = program("mariadbd"), program("mariadb-install-db")
    client = program("mariadb")
    port, socket = free_port(), folder / "s"
    common = ["--no-defaults", f"--datadir={folder / 'data'}", f"--user={getpass.getuser()}"]
    quiet = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
    subprocess.run([install, *common, *quiet, *SMALL], check=True, capture_output=True, timeout=120)
    network = [f"--port={port}", "--bind-address=127.0.0.1", "--skip-name-resolve"]
    files = [f"--socket={socket}", f"--pid-file={folder / 'pid'}", f"--tmpdir={folder}"]
    command = [server, *common, *network, *files, *SMALL, *FAST, "--max-connections=200"]
    with running(command, port=port, log=folder / "log"):
        login = [client, "--no-defaults", f"--socket={socket}", "--user=root"]
        create = "CREATE DATABASE vitrine CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci"
        subprocess.run([*login, "-e", create], check=True, timeout=60)
        yield f"mysql://root:@127.0.0.1:{port}/vitrine"
