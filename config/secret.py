"""The secret key: from the environment, or made once into a file that only its owner can read."""

import os
import secrets
from pathlib import Path

from config import env


def secret_key(path: Path) -> str:
    """`SECRET_KEY`, else the content of `path`, created with mode 0600 at the first start."""
    given = env.text("SECRET_KEY")
    if given:
        return given
    while not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(64))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)  # atomic, and never over a key that another process made meanwhile
        except FileExistsError:
            break
        finally:
            draft.unlink()
    return path.read_text()
