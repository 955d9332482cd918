"""The shape of the house, held by tests where no linter holds it. See ARCHITECTURE.md."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings

BASE: Path = settings.BASE_DIR
PACKAGES = ("agent", "compaction_app", "config", "memory_app", "sessions_app")
FILE_LINES, FUNCTION_LINES = 300, 50
# The outermost frame of an execution (a run, a compaction), the tool executor, the tokenizer guard.
BROAD_EXCEPTS = {
    "agent/tokens.py": 1,
    "agent/tools/executor.py": 1,
    "sessions_app/outermost.py": 1,
}
MESSAGE_WRITER = "sessions_app/services/transcript.py"
WRITES = {"create", "acreate", "bulk_create", "get_or_create", "update_or_create"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


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


def test_files_fit_into_a_head() -> None:
    texts = [
        path for path in files(".py", ".js", ".css", ".html") if "migrations" not in path.parts
    ]
    long = {
        name(path): count
        for path in texts
        if (count := len(path.read_text().splitlines())) > FILE_LINES
    }
    assert long == {}


def test_functions_fit_on_a_screen() -> None:
    long = {
        f"{path}:{node.name}"
        for path, node in nodes((ast.FunctionDef, ast.AsyncFunctionDef))
        if isinstance(node, Function) and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    }
    assert long == set()


def test_the_core_loads_without_django() -> None:
    program = """
import importlib, pkgutil, sys, agent
for module in pkgutil.walk_packages(agent.__path__, "agent."):
    importlib.import_module(module.name)
upstairs = {"django", "rest_framework", "channels", "asgiref", "sessions_app", "memory_app"}
print(*sorted(upstairs & {name.split(".")[0] for name in sys.modules}))
"""
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=BASE,
        env={},
        check=True,
        capture_output=True,
        text=True,
    )
    assert result.stdout.split() == []


def test_broad_excepts_stand_at_three_boundaries() -> None:
    found: dict[str, int] = {}
    for path, node in nodes(ast.ExceptHandler):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node):
            found[path] = found.get(path, 0) + 1
    assert found == BROAD_EXCEPTS


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        isinstance(one, ast.Name) and one.id in {"Exception", "BaseException"} for one in caught
    )


def test_messages_are_written_in_one_place() -> None:
    writers = {
        path
        for path, node in nodes(ast.Call)
        if isinstance(node, ast.Call) and _writes_message(node)
    }
    assert writers == {MESSAGE_WRITER}


def _writes_message(call: ast.Call) -> bool:
    """`Message.objects.create(...)` and its kin, or `session.messages.create(...)`."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in WRITES):
        return False
    return re.search(r"\bMessage\.objects\b|\.messages\b", ast.unparse(call.func)) is not None


def test_nobody_listens_to_signals() -> None:
    users = {
        path
        for path, node in nodes((ast.Import, ast.ImportFrom))
        if re.search(
            r"django\.(dispatch|db\.models\.signals|core\.signals)|import receiver\b",
            ast.unparse(node),
        )
    }
    assert users == set()


@pytest.mark.parametrize("top", ["root", "work"])
def test_no_file_names_a_path_of_one_machine(top: str) -> None:
    found = {name(path) for path in files() if f"/{top}/".encode() in path.read_bytes()}
    assert found == set()
