"""Takes the pictures of this folder from real runs of the rehearsal model.

Run it from the repository's root: `.venv/bin/python -m docs.screenshots`. It needs Chromium and,
for the Chinese picture, a font such as Debian's fonts-noto-cjk; its database is its own.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from sessions_app.services.sessions import SessionFields

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
WIDE = {"viewport": {"width": 1400, "height": 1000}, "color_scheme": "light"}
NARROW = {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"}
PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "session-light": ("en", WIDE),
    "session-dark": ("en", {**WIDE, "color_scheme": "dark"}),
    "session-zh": ("zh-hans", {**WIDE, "locale": "zh-CN"}),
    "session-narrow": ("en", {**NARROW, "device_scale_factor": 2}),
    "compaction-light": ("compacted", WIDE),
    "compaction-dark": ("compacted#compactions", {**WIDE, "color_scheme": "dark"}),
    "compaction-zh": ("compacted-zh#compactions", {**WIDE, "locale": "zh-CN"}),
    "compaction-narrow": ("compacted", {**NARROW, "device_scale_factor": 2}),
}
MEMORIES = [
    "Prefers short answers with file paths",
    "Python 3.11, ruff, mypy strict",
    "时间一律用 UTC",
]
RULES = "# Rules\n\nKeep files small. Say why, not what. Never push to main.\n"
LOG_LINE = "2026-11-29T10:00:00Z INFO request {number} finished in {number} ms\n"
WINDOW_TOKENS = 64_000
SMALL_WINDOW_TOKENS = 10_000  # a tour of the core fills it several times


@dataclass(frozen=True, slots=True)
class Talk:
    """A session and its one message. The picture shows the first `opened` with what it `loaded`."""

    title: str
    question: str
    language: str = "en"
    model: str = "rehearsal"
    opened: str = ".card"
    loaded: str = ".card .result"


COMPACTED = {"model": "rehearsal-small", "opened": ".divider", "loaded": ".divider .summary"}
TALKS = {
    "en": Talk(
        "Find where the retry policy lives", "search retryable\nread agent/retry.py run.log"
    ),
    "zh-hans": Talk("查找重试策略的位置", "搜索 retryable\n读取 agent/retry.py run.log", "zh-hans"),
    "compacted": Talk("Read the whole core", "tour agent/*.py", **COMPACTED),
    "compacted-zh": Talk("通读核心代码", "通读 agent/*.py", "zh-hans", **COMPACTED),
}
OTHERS = ["Write the release notes", "为什么测试变慢了?"]
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
    from django.conf import settings  # noqa: PLC0415

    django.setup()
    settings.SWEEP_INTERVAL_S = 0  # nothing may outlive the temporary database
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    from config.asgi import application  # noqa: PLC0415
    from tests.browser.serving import ARGUMENTS, CHROMIUM, serving  # noqa: PLC0415

    sessions, key = _prepare(var)
    with serving(application) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cookie = {"name": "sessionid", "value": key, "url": address}
        for name, session_id in sessions.items():
            page = _page(browser, cookie, f"{address}/sessions/{session_id}", WIDE)
            page.get_by_test_id("composer").fill(TALKS[name].question)
            page.get_by_test_id("send").click()
            page.locator(".phase[data-phase=COMPLETED]").wait_for(timeout=RUN_MS)
        for name, (place, options) in PICTURES.items():
            talk, _, view = place.partition("#")
            page = _page(browser, cookie, f"{address}/sessions/{sessions[talk]}", options)
            page.locator(f"{TALKS[talk].opened} > summary").first.click()
            page.locator(TALKS[talk].loaded).first.wait_for()
            page.goto(f"{page.url}#{view}")
            page.screenshot(path=DOCS / f"{name}.png")
        _page(browser, cookie, address, WIDE).screenshot(path=DOCS / "sessions.png")
        browser.close()


def _prepare(var: Path) -> tuple[dict[str, int], str]:
    """Sessions over a copy of the core, with memories and rules, by name; and a sign-in."""
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
    (workspace / "run.log").write_text("".join(LOG_LINE.format(number=n) for n in range(2_000)))
    owner = User.objects.create_user("ada")
    for number, text in enumerate(MEMORIES):
        MemoryItem.objects.create(owner=owner, content=text, dedup_hash=str(number))
    ModelProfile.objects.filter(provider="rehearsal").update(window_tokens=WINDOW_TOKENS)
    ModelProfile.objects.create(
        name="rehearsal-small",
        provider="rehearsal",
        model_id="rehearsal",
        window_tokens=SMALL_WINDOW_TOKENS,
    )
    models = {row.name: row for row in ModelProfile.objects.all()}
    for title in OTHERS:
        sessions.create(owner=owner, fields={"title": title})
    made = {}
    for name, talk in TALKS.items():
        fields: SessionFields = {
            "title": talk.title,
            "model": models[talk.model],
            "language": talk.language,
            "workspace": str(workspace),
        }
        made[name] = sessions.create(owner=owner, fields=fields).pk
    client = Client()
    client.force_login(owner)
    return made, client.cookies["sessionid"].value


def _page(browser: "Browser", cookie: Any, address: str, options: dict[str, Any]) -> "Page":
    context = browser.new_context(**options)
    context.add_cookies([cookie])
    page = context.new_page()
    page.goto(address, wait_until="networkidle")
    return page


if __name__ == "__main__":
    main()
