"""The prompt's texts, one Markdown file each and language, rendered strictly and only once."""

from functools import cache
from pathlib import Path
from string import Template

_TEXTS = Path(__file__).parent / "texts"
_FOLDERS = {"en": "en", "zh-hans": "zh_hans"}
LANGUAGES = tuple(_FOLDERS)


def text_folder(language: str) -> Path:
    """The folder with a language's texts. Raises ValueError for a language without one."""
    if language not in _FOLDERS:
        raise ValueError(f"language {language!r} is not known; allowed: {', '.join(LANGUAGES)}")
    return _TEXTS / _FOLDERS[language]


@cache
def _template(language: str, name: str) -> tuple[Template, frozenset[str]]:
    """The text and its variables."""
    path = text_folder(language) / f"{name}.md"
    template = Template(path.read_text(encoding="utf-8").rstrip("\n"))
    return template, frozenset(template.get_identifiers())


def render(language: str, name: str, /, **values: str) -> str:
    """The text `name` with its `$variables` filled in, without a newline at its end.

    Raises ValueError when a variable has no value or a value no variable. What is filled in is
    never rendered again, so a `$` in it stays as it is.
    """
    template, variables = _template(language, name)
    if variables != values.keys():
        raise ValueError(
            f"text {name!r} ({language}) takes {sorted(variables)}, but was given {sorted(values)}"
        )
    return template.substitute(values)
