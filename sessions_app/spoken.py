"""Says in a language what the core says in English. Words of others stay as they are."""

from collections.abc import Callable

from django.utils.translation import get_language, gettext, override

from agent.phrases import Phrase


def spoken(text: str, language: str = "") -> str:
    """The text in this language, or in that of the page at hand, if it is a phrase of ours."""
    if not isinstance(text, Phrase):
        return text
    with override(language or get_language()):
        return gettext(text.template) % text.values


def speaker(language: str) -> Callable[[str], str]:
    """Says everything in this language."""
    return lambda text: spoken(text, language)
