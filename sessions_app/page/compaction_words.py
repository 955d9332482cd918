"""How compactions are spoken of on the pages."""

from django.utils.translation import gettext as _

from compaction_app.compactor import Outcome
from compaction_app.policy import SHARES, Trigger
from compaction_app.services import UNDONE


def trigger_words(trigger: str) -> str:
    """Why it was done, as the end of a sentence; an unknown trigger stands for itself."""
    words = {
        Trigger.MANUAL: _("by hand"),
        Trigger.REQUEST_START: _("automatically before the request"),
        Trigger.MID_LOOP: _("automatically between rounds"),
        Trigger.IDLE: _("automatically after the run"),
        Trigger.TOOL: _("at the agent's request"),
        Trigger.OVERFLOW: _("because the prompt was too long"),
    }
    return {key.value: text for key, text in words.items()}.get(trigger, trigger)


def outcome_words(outcome: str) -> str:
    """How it ended, in a word or two; an unknown outcome stands for itself."""
    words = {
        Outcome.COMPACTED.value: _("Compacted"),
        Outcome.NOTHING.value: _("Nothing to compact"),
        Outcome.FAILED.value: _("Failed"),
        Outcome.CONFLICT.value: _("Another one was faster"),
        Outcome.CANCELLED.value: _("Cancelled"),
        UNDONE: _("Taken back"),
    }
    return words.get(outcome, outcome)


def tier_choices() -> list[tuple[str, str]]:
    """The tiers, named by the share of the window that each keeps."""
    return [
        (tier, _("Keep %(percent)s%%") % {"percent": round(100 * share)})
        for tier, share in SHARES.items()
    ]
