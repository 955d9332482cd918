"""Filters of the pages: untrusted text made visible, and figures."""

from datetime import datetime

from django import template

from sessions_app.models import Session
from sessions_app.page import composition, figures
from sessions_app.visible import visible as visible_text

register = template.Library()

UNKNOWN = "–"  # nobody reported it; not the same as 0


@register.filter
def visible(text: object) -> str:
    """Untrusted text with hidden characters shown; escaped by the template as any text."""
    return visible_text(str(text))


@register.filter
def water_level(session: Session) -> int | None:
    """What the gauge of a session's page shows, in tokens."""
    return composition.water_level(session)


@register.filter
def short(tokens: int) -> str:
    """Tokens in at most five characters: 79.6k."""
    return figures.short(tokens)


@register.filter
def grouped(number: int | None) -> str:
    """A whole number with its thousands apart; a dash for none."""
    return UNKNOWN if number is None else figures.grouped(number)


@register.filter
def percent_of(part: int, whole: int | None) -> str:
    """A share with one decimal."""
    return figures.percent(part, whole)


@register.filter
def duration(milliseconds: int | None) -> str:
    """A time span in the unit that fits; a dash for none."""
    return UNKNOWN if milliseconds is None else figures.duration(milliseconds)


@register.filter
def ago(moment: datetime) -> str:
    """How long ago."""
    return figures.ago(moment)
