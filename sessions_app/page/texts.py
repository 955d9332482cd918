"""The texts that the page's scripts show, in the page's language."""

from django.utils.translation import gettext as _


def script_texts() -> dict[str, str]:
    """By the names that the scripts use."""
    return {
        "reconnecting": _("Reconnecting…"),
        "signedOut": _("You are signed out or may not see this session any more. Reload the page."),
        "unreachable": _("The server can't be reached. Nothing was lost: try again."),
        "failed": _("That did not work"),
    }
