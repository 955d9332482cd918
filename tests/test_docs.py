"""Facts in the documents: settings, files, recipes of make and links are what the code has."""

import ast
import re
from pathlib import Path

import pytest
from django.conf import settings

BASE: Path = settings.BASE_DIR
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
PACKAGES = ("sessions_app", "compaction_app", "memory_app", "agent")
KEYS = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}  # read at use, by the name in a model's row


def variables() -> dict[str, str | None]:
    """Each variable that config/ reads, with its default where that is a plain value."""
    found: dict[str, str | None] = {}
    for path in (BASE / "config").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("env."):
                name = call.args[0]
                if isinstance(name, ast.Constant):
                    found[str(name.value)] = _default(call)
    return found


def _default(call: ast.Call) -> str | None:
    given = [*call.args[1:2], *(key.value for key in call.keywords if key.arg == "default")]
    if not given or not isinstance(given[0], ast.Constant):
        return None
    value = given[0].value
    return str(int(value) if isinstance(value, bool) else value)


def table() -> dict[str, str]:
    """The settings of the README: name to default."""
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| (.*?) \|", (BASE / "README.md").read_text(), re.MULTILINE
    )
    return {name: default.strip("` ") for name, default in rows}


def test_the_readme_has_every_setting_and_no_other() -> None:
    assert set(table()) == set(variables()) | KEYS


def test_the_readme_has_the_real_defaults() -> None:
    documented = table()
    real = {name: value for name, value in variables().items() if value is not None}
    assert {name: documented[name] for name in real} == real


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files(document: str) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", (BASE / document).read_text())
    assert [link for link in links if not (BASE / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document: str) -> None:
    """Names in backquotes: a path from the top, or a file of one of the packages."""
    names = re.findall(r"`([\w./-]+(?:/|\.(?:py|md|toml|js|html)))`", (BASE / document).read_text())
    missing = [name for name in names if not (BASE / name).exists() and not _in_a_package(name)]
    assert missing == []


def _in_a_package(name: str) -> bool:
    return any((BASE / package / name).exists() for package in PACKAGES)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_recipes_of_make_exist(document: str) -> None:
    recipes = set(re.findall(r"^([a-z]+):", (BASE / "Makefile").read_text(), re.MULTILINE))
    named = set(
        re.findall(r"(?:^ {4}|`)make ([a-z]+)", (BASE / document).read_text(), re.MULTILINE)
    )
    assert named <= recipes


def test_the_changelog_begins_with_what_is_not_released() -> None:
    headings = re.findall(r"^## (.+)$", (BASE / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
