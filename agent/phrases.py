"""Sentences for people that Vitrine itself writes: English here, but a floor above may say them in
another language.
"""

from typing import Any


class Phrase(str):
    """A text that still knows its template, with `%(name)s` places, and what stands in them.

    Made where it is said, from a literal, so that catalogues find it. Whatever copies the text
    (`str`, an f-string) makes plain English of it.
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: object) -> "Phrase":
        """The phrase with these values."""
        phrase = super().__new__(cls, template % values)
        phrase.template, phrase.values = template, values
        return phrase
