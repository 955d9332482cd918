"""System checks (`manage.py check`): settings that are valid alone but do not go together."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Warning, register

MODEL_VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY")


def model_is_configured() -> bool:
    """Whether the environment names a model beside the built-in rehearsal model."""
    return any(os.environ.get(name, "").strip() for name in MODEL_VARIABLES)


@register(deploy=True)
def check_model(**_: Any) -> list[CheckMessage]:
    """A server for people usually wants a real model; the rehearsal model is one for trying out."""
    if model_is_configured():
        return []
    return [
        Info(
            "No model is named by the environment: the built-in rehearsal model answers.",
            hint=f"Set one of {', '.join(MODEL_VARIABLES)}, or add a model in the admin.",
            id="sessions_app.I001",
        )
    ]


@register()
def check_channel_layer(**_: Any) -> list[CheckMessage]:
    """The in-memory layer ends at the process, so pages of other workers hear of frames late."""
    workers = os.environ.get("WEB_CONCURRENCY", "1").strip()
    if settings.REDIS_URL or workers in {"", "0", "1"}:
        return []
    return [
        Warning(
            f"WEB_CONCURRENCY={workers} starts several processes, and the in-memory channel layer "
            "connects none of them.",
            hint="Set REDIS_URL, for example redis://127.0.0.1:6379, or start one process.",
            id="sessions_app.W001",
        )
    ]


@register()
def check_workspace_roots(**_: Any) -> list[CheckMessage]:
    """Workspaces must not hold the server's own data: secret key, database, holders."""
    return [
        Error(
            f"WORKSPACE_ROOTS contains {str(root)!r}, which is the server's data folder or in it.",
            hint=f"Name folders outside {settings.VAR}, or below {settings.VAR / 'workspaces'}.",
            id="sessions_app.E001",
        )
        for root in settings.WORKSPACE_ROOTS
        if _is_own_data(root)
    ]


def _is_own_data(root: Path) -> bool:
    return root.is_relative_to(settings.VAR) and not root.is_relative_to(
        settings.VAR / "workspaces"
    )


@register()
def check_debug(**_: Any) -> list[CheckMessage]:
    """Debug pages show settings and code; they are for this machine only."""
    local = {*settings.LOCAL_HOSTS, "::1"}
    if not settings.DEBUG or {*settings.ALLOWED_HOSTS, settings.HOST} <= local:
        return []
    return [
        Error(
            "DEBUG=1 while HOST or ALLOWED_HOSTS opens the server to other machines.",
            hint="Unset DEBUG, or unset HOST and ALLOWED_HOSTS.",
            id="sessions_app.E002",
        )
    ]
