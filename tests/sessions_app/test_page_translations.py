"""Every text of the pages exists in Chinese, and every sentence of ours that they show."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils.translation import get_language_info, override
from django.utils.translation.template import templatize

BASE: Path = settings.BASE_DIR
PACKAGES = ("agent", "sessions_app", "memory_app", "compaction_app", "config")
FUNCTIONS = {"_", "gettext", "gettext_lazy", "ngettext", "Phrase"}
IN_TEMPLATE = re.compile(r"gettext\(u?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
PLACEHOLDER = re.compile(r"%\(\w+\)s")


def of_templates() -> set[str]:
    texts = [templatize(path.read_text()) for path in (BASE / "templates").rglob("*.html")]
    return {ast.literal_eval(found) for text in texts for found in IN_TEMPLATE.findall(text)}


def of_code() -> set[str]:
    paths = [path for package in PACKAGES for path in (BASE / package).rglob("*.py")]
    calls = [
        node
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in FUNCTIONS
    ]
    first = [call.args[0] for call in calls]
    return {str(one.value) for one in first if isinstance(one, ast.Constant)}


def parts(text: object) -> list[str]:
    """Singular and plural of a message or a translation."""
    return [text] if isinstance(text, str) else list(text or ())  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def chinese() -> Catalog:
    path = BASE / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    with path.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def test_every_text_is_translated_and_none_is_left_over(chinese: Catalog) -> None:
    assert of_templates() | of_code() == {parts(message.id)[0] for message in chinese} - {""}
    assert [
        message.id for message in chinese if message.id and not all(parts(message.string))
    ] == []


def test_no_translation_is_a_guess(chinese: Catalog) -> None:
    assert [message.id for message in chinese if message.fuzzy] == []


def test_placeholders_are_kept(chinese: Catalog) -> None:
    wrong = [
        message.id
        for message in chinese
        if sorted(PLACEHOLDER.findall(parts(message.id)[-1]))
        != sorted(PLACEHOLDER.findall(parts(message.string)[-1]))
    ]
    assert wrong == []


def test_both_languages_are_offered() -> None:
    with override("en"):
        offered = [get_language_info(code)["name"] for code, _ in settings.LANGUAGES]
    assert offered == ["English", "Simplified Chinese"]
