"""The folders that sessions work in: which are allowed, and how a new one is made.

A folder made here is named after its owner (`u7-...`), so that nobody else can take it for a
session.
"""

import re
import tempfile
from pathlib import Path

from django.conf import settings

_MADE_HERE = re.compile(r"u(\d+)-")


class WorkspaceNotAllowed(ValueError):
    """The text names no folder that this owner's sessions may work in; says what is allowed."""


def roots() -> list[Path]:
    """The folders for workspaces, links resolved; new ones are made in the first."""
    return [Path(root).resolve() for root in settings.WORKSPACE_ROOTS]


def create(*, owner_id: int) -> Path:
    """Make an empty folder below the first root, with a name of its own and mode 0700."""
    first = roots()[0]
    first.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"u{owner_id}-", dir=first))


def allowed(text: str, *, owner_id: int) -> Path:
    """The folder that `text` names, links resolved.

    Raises WorkspaceNotAllowed unless it is an absolute path of an existing folder at or below a
    root, and neither lies in nor holds a folder that was made for somebody else.
    """
    path = _existing(text)
    inside = path is not None and any(path.is_relative_to(root) for root in roots())
    if path is None or not inside or _is_foreign(path, owner_id):
        names = ", ".join(map(str, roots()))
        raise WorkspaceNotAllowed(
            f"{text[:200]!r} is not allowed; allowed: the absolute path of a folder below {names}."
        )
    return path


def _existing(text: str) -> Path | None:
    path = Path(text)
    if not path.is_absolute():
        return None
    try:
        path = path.resolve(strict=True)
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # missing, no right, too long; a loop of links; a NUL
        return None
    return path if path.is_dir() else None


def _is_foreign(path: Path, owner_id: int) -> bool:
    """Whether it is the server's own data, or made for another owner, or holds what was."""
    if path.is_relative_to(settings.VAR) and not path.is_relative_to(settings.VAR / "workspaces"):
        return True
    first = roots()[0]
    if path == first:
        return any(_made_for_another(child.name, owner_id) for child in first.iterdir())
    if not path.is_relative_to(first):
        return False
    return _made_for_another(path.relative_to(first).parts[0], owner_id)


def _made_for_another(name: str, owner_id: int) -> bool:
    made = _MADE_HERE.match(name)
    return made is not None and int(made[1]) != owner_id
