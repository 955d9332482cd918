"""An open page while an answer streams: the main thread's time for each frame it draws."""

import os
import time
from dataclasses import dataclass
from importlib.util import find_spec

from benchmarks import database  # first of what needs Django: it chooses the database

# isort: split
from channels.routing import get_default_application
from django.test import Client

from agent.messages import TextDelta
from benchmarks.figures import Figure, at_most, hand_over, missing
from sessions_app import run_loop
from sessions_app.live_round import LiveRound
from sessions_app.models import Session
from tests.browser.serving import ARGUMENTS, CHROMIUM, serving

MESSAGES = 10_000
SECONDS, DELTAS_A_SECOND = 8, 50
PIECE = " and so on"
WRITTEN = 20_000  # characters of the answer that are there when the measurement begins
GOAL_MS = 16
WHAT = f"an open page at {DELTAS_A_SECOND} deltas a second: main thread's CPU a frame"

WATCH = """() => {
  window.drawn = 0;
  const count = () => { window.drawn += 1; };
  const all = { childList: true, characterData: true, subtree: true };
  new MutationObserver(count).observe(document.querySelector(".streaming .text"), all);
}"""
NODES = """() => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  let count = 0;
  while (walker.nextNode()) count += 1;
  return count;
}"""


@dataclass(frozen=True, slots=True)
class Seen:
    """CPU milliseconds of the main thread for each time that it drew, nodes of the page."""

    drawing_ms: float
    nodes: int


async def begin(live: LiveRound) -> None:
    """A round with a long answer so far."""
    live.begin(1)
    live.add(TextDelta(PIECE * (WRITTEN // len(PIECE))))


async def add(live: LiveRound) -> None:
    """One delta."""
    live.add(TextDelta(PIECE))


def stream(live: LiveRound) -> None:
    """Deltas at the pace of a fast model."""
    due = time.monotonic()
    for _ in range(SECONDS * DELTAS_A_SECOND):
        due += 1 / DELTAS_A_SECOND
        time.sleep(max(0, due - time.monotonic()))
        run_loop.submit(add(live)).result()


def watched(session: Session) -> Seen:
    """Open the session's page and let an answer stream on it."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - of requirements-dev.txt

    client = Client()
    client.force_login(session.owner)
    live = LiveRound(session.pk, database.EXECUTION, seq=session.frame_seq)
    with serving(get_default_application()) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        value = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": value, "url": address}])
        page = context.new_page()
        page.goto(f"{address}/sessions/{session.pk}")
        nodes = int(page.evaluate(NODES))
        run_loop.submit(begin(live)).result()
        page.wait_for_selector(".streaming .text")
        devtools = context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # CPU time

        def busy_s() -> float:
            found = devtools.send("Performance.getMetrics")["metrics"]
            return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

        page.evaluate(WATCH)
        before = busy_s()
        stream(live)
        busy, drawn = busy_s() - before, int(page.evaluate("window.drawn"))
        shown = len(page.inner_text(".streaming .text"))
        assert shown >= WRITTEN + SECONDS * DELTAS_A_SECOND * len(PIECE) - 100, shown
        browser.close()
    return Seen(busy / drawn * 1_000, nodes)


def figures() -> list[Figure]:
    """The page of a long session, and a long answer on it."""
    if find_spec("playwright") is None or not CHROMIUM.exists():
        return [missing(WHAT, f"<= {GOAL_MS} ms", "no Chromium here")]
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # playwright's event loop is in this thread
    session = database.session(MESSAGES)
    database.log_requests(session)
    database.take_claim(session, database.EXECUTION)
    Session.objects.filter(pk=session.pk).update(phase=Session.Phase.RUNNING)
    session.refresh_from_db()
    seen = watched(session)
    return [
        at_most(WHAT, GOAL_MS, seen.drawing_ms, " ms"),
        at_most("... nodes of the page as Chromium counts them", 3_000, seen.nodes, ""),
    ]


if __name__ == "__main__":
    database.prepare()
    hand_over(figures())
