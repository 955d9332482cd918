"""Filters of the pages: untrusted text made visible, and figures."""

from datetime import datetime

from django import template

from sessions_app.page import figures
from sessions_app.visible import visible as visible_text

register = template.Library()


@register.filter
def visible(text: object) -> str:
    """Untrusted text with hidden characters shown; escaped by the template as any text."""
    return visible_text(str(text))


@register.filter
def short(tokens: int) -> str:
    """Tokens in at most five characters: 79.6k."""
    return figures.short(tokens)


@register.filter
def grouped(number: int) -> str:
    """A whole number with its thousands apart."""
    return figures.grouped(number)


@register.filter
def percent_of(part: int, whole: int | None) -> str:
    """A share with one decimal."""
    return figures.percent(part, whole)


@register.filter
def duration(milliseconds: int) -> str:
    """A time span in the unit that fits."""
    return figures.duration(milliseconds)


@register.filter
def ago(moment: datetime) -> str:
    """How long ago."""
    return figures.ago(moment)
