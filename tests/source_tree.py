"""The repository's files and the syntax trees of the product's code, for tests of its shape."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings

BASE: Path = settings.BASE_DIR
PACKAGES = ("agent", "compaction_app", "config", "memory_app", "sessions_app")


@cache
def files(*suffixes: str) -> list[Path]:
    """What is or will be in the repository."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    output = subprocess.run(listing, cwd=BASE, check=True, capture_output=True, text=True).stdout
    found = [BASE / name for name in output.split("\0") if name.endswith(suffixes or "")]
    return [path for path in found if path.is_file()]


def name(path: Path) -> str:
    return path.relative_to(BASE).as_posix()


@cache
def code() -> list[tuple[str, ast.Module]]:
    """Name and syntax tree of each Python file that is neither a migration nor a test."""
    return [
        (name(path), ast.parse(path.read_text()))
        for path in files(".py")
        if name(path).startswith(PACKAGES) and "migrations" not in path.parts
    ]


def nodes(kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> Iterator[tuple[str, ast.AST]]:
    return (
        (path, node) for path, tree in code() for node in ast.walk(tree) if isinstance(node, kind)
    )
