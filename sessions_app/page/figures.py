"""How numbers read on the pages: short, and the same everywhere."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

KILO, MEGA = 1_000, 1_000_000
SECOND_MS, MINUTE_MS = 1_000, 60_000


def short(tokens: int) -> str:
    """A count of tokens in at most five characters, halves rounded up: 611, 79.6k, 1.2M."""
    if tokens < KILO:
        return str(tokens)
    if tokens < MEGA - KILO // 20:  # 999,950 would round to 1000.0k
        return f"{_tenths(tokens, KILO)}k"
    return f"{_tenths(tokens, MEGA)}M"


def grouped(number: int) -> str:
    """A whole number with its thousands apart: 54,760."""
    return f"{number:,}"


def percent(part: int, whole: int | None) -> str:
    """`part` as a share of `whole` with one decimal; empty when the whole is unknown (0, None)."""
    if not whole:
        return ""
    share = 100 * part / whole
    return "<0.1%" if 0 < share < 0.05 else f"{share:.1f}%"


def signed_percent(part: int, whole: int) -> str:
    """How far `part` is from `whole`, with its sign: +0.9%."""
    return f"{100 * (part - whole) / whole:+.1f}%" if whole else ""


def duration(milliseconds: int) -> str:
    """A time span: 14 ms, 3.2 s, 4 min."""
    if milliseconds < SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds < MINUTE_MS:
        return f"{milliseconds / SECOND_MS:.1f} s"
    return f"{milliseconds // MINUTE_MS} min"


def _tenths(number: int, unit: int) -> str:
    whole, tenth = divmod((number + unit // 20) // (unit // 10), 10)
    return f"{whole}.{tenth}"


def ago(moment: datetime) -> str:
    """How long ago, in the largest unit."""
    if timezone.now() - moment < timedelta(minutes=1):
        return _("just now")
    return _("%(time)s ago") % {"time": timesince(moment, depth=1)}
