"""Another program holds SQLite's write lock for longer than anybody waits for it."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

import pytest
from django.db import connection, connections

from agent.messages import TextDelta
from sessions_app import partials, run_loop, runs
from sessions_app.live_round import LiveRound
from sessions_app.models import Session
from sessions_app.partials import Partial
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import said, wait_idle, wait_until
from tests.wire.fixture import Wire

pytestmark = pytest.mark.django_db(transaction=True)

Lock = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def lock(runs_end: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lock]:
    """Holds the lock inside a block. Connections wait 0.2 s for it instead of 20 s."""
    if connection.vendor != "sqlite":
        pytest.skip("a lock on the whole database is SQLite's")
    options = connection.settings_dict["OPTIONS"]
    quick = options["init_command"].replace("busy_timeout=20000", "busy_timeout=200")
    monkeypatch.setitem(options, "init_command", quick)
    monkeypatch.setitem(options, "timeout", 0.2)
    connections.close_all()
    run_loop.close_connections()

    @contextmanager
    def held() -> Iterator[None]:
        name = connection.settings_dict["NAME"]
        with closing(sqlite3.connect(name, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    yield held
    run_loop.close_connections()
    connections.close_all()


def streamed(session: Session) -> str:
    """The text of the answer that is under way."""
    partial = partials.get(session.pk)
    return partial.text if partial else ""


def test_a_run_outlives_it_and_can_still_be_cancelled(
    wired: Session, wire: Wire, lock: Lock
) -> None:
    wire.script({"text": "slow " * 400, "piece": 5, "pause": 0.1})
    runs.start(session_id=wired.pk, content="go")
    wait_until(lambda: "slow" in streamed(wired))
    with lock():
        time.sleep(2.5)  # two beats of the claim at least
    runs.cancel(session_id=wired.pk)
    assert wait_idle(wired).phase == Session.Phase.CANCELLED
    assert said(wired)[-1][1].startswith("slow slow")


def test_an_answer_that_ends_meanwhile_is_kept(wired: Session, wire: Wire, lock: Lock) -> None:
    wire.script({"text": "the answer", "delay": 0.5})
    runs.start(session_id=wired.pk, content="go")
    wait_until(lambda: wire.requests())
    with lock():
        time.sleep(1)
    assert wait_idle(wired).phase == Session.Phase.COMPLETED
    assert said(wired) == [("user", "go"), ("assistant", "the answer")]


def test_a_message_is_refused_in_words_and_not_saved(api: Rest, wired: Session, lock: Lock) -> None:
    with lock():
        answer = api.send("POST", f"/v1/sessions/{wired.pk}/messages", {"content": "go"})
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert said(wired) == []


async def test_what_a_run_streams_that_lost_its_claim_is_not_shown() -> None:
    late = LiveRound(session_id=1, execution_id="late")
    partials.speak(1, "next")
    partials.put(1, Partial(6, "of the next run"))
    late.begin(5)
    late.add(TextDelta("of the late one"))
    await asyncio.sleep(0.1)
    assert partials.get(1) == Partial(6, "of the next run")
    partials.clear(1)
