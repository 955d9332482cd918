"""How long the texts that people send may be, whichever way they come, and what a longer one is
told. In Unicode code points.
"""

from compaction_app.handoff import MAX_FOCUS_CHARS

CONTENT_CHARS = 200_000  # of a message
EVENT_ID_CHARS = 200
FOCUS_CHARS = MAX_FOCUS_CHARS  # of the instructions for a compaction
TOO_LONG = "Too long; allowed: at most {max_length} characters."


def too_long(text: str, most: int) -> str:
    """What is wrong with the text's length; empty when nothing is."""
    return TOO_LONG.format(max_length=most) if len(text) > most else ""
