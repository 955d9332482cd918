"""The texts that the page's scripts show, in the page's language."""

from django.utils.translation import gettext as _

from agent.errors import AgentError, NothingToUndo, SessionAlreadyRunning
from sessions_app.spoken import spoken


def script_texts() -> dict[str, str]:
    """By the names that the scripts use."""
    return {
        "reconnecting": _("Reconnecting…"),
        "signedOut": _("You are signed out or may not see this session any more. Reload the page."),
        "unreachable": _("The server can't be reached. Nothing was lost: try again."),
        "failed": _("That did not work"),
        "copy": _("Copy"),
        "copied": _("Copied"),
        "notCopied": _("The browser did not let it be copied."),
        **_refusals(),
    }


def refusal(error: AgentError) -> str:
    """Why something was refused, in the page's language where it has words for that."""
    return spoken(error.user_message)


def _refusals() -> dict[str, str]:
    """By the code that REST answers with."""
    return {
        SessionAlreadyRunning.code: _(
            "The session is busy: another run or compaction is in progress."
        ),
        NothingToUndo.code: _("There is no compaction to undo."),
    }
