"""Takes the pictures of this folder from a real run of the rehearsal model.

Run it from the repository's root: `.venv/bin/python -m docs.screenshots`. It needs Chromium and, for
the Chinese picture, a font such as Debian's fonts-noto-cjk; it uses a database of its own.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
WIDE = {"viewport": {"width": 1400, "height": 1000}, "color_scheme": "light"}
NARROW = {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"}
PICTURES: dict[str, dict[str, Any]] = {
    "session-light": WIDE,
    "session-dark": {**WIDE, "color_scheme": "dark"},
    "session-zh": {**WIDE, "locale": "zh-CN"},
    "session-narrow": {**NARROW, "device_scale_factor": 2},
}
MEMORIES = [
    "Prefers short answers with file paths",
    "Python 3.11, ruff, mypy strict",
    "时间一律用 UTC",
]
RULES = "# Rules\n\nKeep files small. Say why, not what. Never push to main.\n"
QUESTION = "search retry\nread agent/retry.py\nread agent/tokens.py agent/history.py agent/loop.py"
RUN_MS = 60_000


def main() -> None:
    """Make the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        var = Path(folder)
        os.environ.update(
            VAR_DIR=folder,
            DATABASE_URL=f"sqlite:///{var / 'pictures.sqlite3'}",
            WORKSPACE_ROOTS=str(var / "workspaces"),
            TIKTOKEN_CACHE_DIR=str(ROOT / "var" / "tiktoken"),
            DJANGO_SETTINGS_MODULE="config.settings",
            DJANGO_ALLOW_ASYNC_UNSAFE="true",  # Playwright's loop runs in this thread
        )
        _take(var)


def _take(var: Path) -> None:
    import django  # noqa: PLC0415 - only now that the settings are known

    django.setup()
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    from config.asgi import application  # noqa: PLC0415
    from tests.browser.serving import ARGUMENTS, CHROMIUM, serving  # noqa: PLC0415

    session_id, key = _prepare(var)
    with serving(application) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cookie = {"name": "sessionid", "value": key, "url": address}
        _run(browser, cookie, f"{address}/sessions/{session_id}")
        for name, options in PICTURES.items():
            _picture(browser, cookie, f"{address}/sessions/{session_id}", name, options)
        _picture(browser, cookie, address, "sessions", WIDE)
        browser.close()


def _prepare(var: Path) -> tuple[int, str]:
    """A session over a copy of the core, with memories and rules; its id and a sign-in."""
    from django.contrib.auth.models import User  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from memory_app.models import MemoryItem  # noqa: PLC0415
    from sessions_app.models import ModelProfile  # noqa: PLC0415
    from sessions_app.services import sessions  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    workspace = var / "workspaces" / "demo"
    shutil.copytree(ROOT / "agent", workspace / "agent")
    (workspace / "AGENTS.md").write_text(RULES)
    owner = User.objects.create_user("ada")
    for number, text in enumerate(MEMORIES):
        MemoryItem.objects.create(owner=owner, content=text, dedup_hash=str(number))
    model = ModelProfile.objects.get(provider=ModelProfile.Provider.REHEARSAL)
    for title in ("Write the release notes", "为什么测试变慢了?"):
        sessions.create(owner=owner, fields={"title": title, "model": model})
    session = sessions.create(
        owner=owner,
        fields={
            "title": "Find where the retry policy lives",
            "model": model,
            "workspace": str(workspace),
        },
    )
    client = Client()
    client.force_login(owner)
    return session.pk, client.cookies["sessionid"].value


def _run(browser: "Browser", cookie: Any, address: str) -> None:
    """Ask the question and wait for the answer."""
    context = browser.new_context()
    context.add_cookies([cookie])
    page = context.new_page()
    page.goto(address)
    page.get_by_test_id("composer").fill(QUESTION)
    page.get_by_test_id("send").click()
    page.locator(".phase[data-phase=COMPLETED]").wait_for(timeout=RUN_MS)
    context.close()


def _picture(
    browser: "Browser", cookie: Any, address: str, name: str, options: dict[str, Any]
) -> None:
    context = browser.new_context(**options)
    context.add_cookies([cookie])
    page = context.new_page()
    page.goto(address, wait_until="networkidle")
    page.screenshot(path=DOCS / f"{name}.png")
    context.close()


if __name__ == "__main__":
    main()
