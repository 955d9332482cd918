"""How compactions are spoken of on the pages."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compaction_app.policy import SHARES, UNDONE, Outcome, Trigger

# Why it was done, as the end of a sentence.
TRIGGERS = {
    Trigger.MANUAL.value: gettext_lazy("by hand"),
    Trigger.REQUEST_START.value: gettext_lazy("automatically before the request"),
    Trigger.MID_LOOP.value: gettext_lazy("automatically between rounds"),
    Trigger.IDLE.value: gettext_lazy("automatically after the run"),
    Trigger.TOOL.value: gettext_lazy("at the agent's request"),
    Trigger.OVERFLOW.value: gettext_lazy("because the prompt was too long"),
}
# How it ended, in a word or two.
OUTCOMES = {
    Outcome.COMPACTED.value: gettext_lazy("Compacted"),
    Outcome.NOTHING.value: gettext_lazy("Nothing to compact"),
    Outcome.FAILED.value: gettext_lazy("Failed"),
    Outcome.CONFLICT.value: gettext_lazy("Another one was faster"),
    Outcome.CANCELLED.value: gettext_lazy("Cancelled"),
    UNDONE: gettext_lazy("Taken back"),
}
TIERS = {
    "light": gettext_lazy("Light"),
    "standard": gettext_lazy("Standard"),
    "heavy": gettext_lazy("Heavy"),
}


def trigger_words(trigger: str) -> str:
    """Why it was done; an unknown trigger stands for itself."""
    return str(TRIGGERS.get(trigger, trigger))


def outcome_words(outcome: str) -> str:
    """How it ended; an unknown outcome stands for itself."""
    return str(OUTCOMES.get(outcome, outcome))


def told(trigger: str, outcome: str) -> str:
    """How it ended and why it was tried."""
    return f"{outcome_words(outcome)} ({trigger_words(trigger)})"


def tier_choices() -> list[tuple[str, str]]:
    """The tiers, named by the share of the window that each keeps."""
    return [
        (tier, _("Keep %(percent)s%%") % {"percent": round(100 * share)})
        for tier, share in SHARES.items()
    ]
