"""The shape of the house, held by tests where no linter holds it. See ARCHITECTURE.md."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_tree import BASE, PACKAGES, files, name, nodes

FILE_LINES, FUNCTION_LINES = 300, 50
# The outermost frame of an execution (a run, a compaction), the tool executor, the tokenizer guard.
BROAD_EXCEPTS = {
    "agent/tokens.py": 1,
    "agent/tools/executor.py": 1,
    "sessions_app/outermost.py": 1,
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


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


def test_the_compaction_tools_name_stands_in_one_file() -> None:
    literal = re.compile(r"(?<!import )(?<!\w)compact_context(?!\w|\.\w| import)")
    product = [path for path in files() if name(path).startswith((*PACKAGES, "templates"))]
    found = [name(path) for path in product if literal.search(_text(path))]
    assert found == ["compaction_app/compact_context.py"]


def _text(path: Path) -> str:
    return path.read_text(errors="replace")
