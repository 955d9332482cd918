"""Numbers the places at which a process may end, and ends it at one of them.

A place is reached before each write transaction, after each statement that writes, after each
commit (before what waits for the commit is told), and around the model's answer and each tool. The
product knows nothing of it: it is wrapped from outside, in processes that may die.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.transaction import Atomic

from agent.clients.rehearsal import RehearsalModel
from agent.messages import ModelResponse, StreamEvent, ToolCall, ToolResult
from agent.request import ModelRequest
from agent.testing import check_request
from agent.tools.executor import ToolExecutor
from sessions_app import run_loop

WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")
HEARTBEAT = ("SET `lease_until_ms`", 'SET "lease_until_ms"')  # outside of transactions, at any time


class Points:
    """The places reached so far. At the `at`-th the process sends itself `number`."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.between: Callable[[], None] = lambda: None  # called once, when a tool round begins
        self.pause = 0.0  # seconds between two deltas of the model
        self.works: list[Future[Any]] = []  # what this process has begun on the run loop
        self._at: int | None = None
        self._number = signal.SIGKILL
        self._lock = threading.Lock()
        self.heartbeat = threading.Lock()  # a stopped process must not hold the database's lock

    def arm(self, at: int, number: int) -> None:
        """From now on places count, from 1; 0 = none is the last."""
        self._at, self._number = at, signal.Signals(number)

    def reach(self, name: str) -> None:
        """This place."""
        if self._at is None:
            return
        with self._lock:
            self.names.append(name)
            if len(self.names) == self._at:
                with self.heartbeat:
                    # To this thread: sent to the process, another may take it a moment later.
                    signal.pthread_kill(threading.get_ident(), self._number)


POINTS = Points()


def watch() -> None:
    """Wrap database, run loop, model and tools of this process."""
    _watch_transactions()
    _watch_statements()
    _watch_run_loop()
    _watch_model()
    _watch_tools()


def _watch_transactions() -> None:
    enter, commit = Atomic.__enter__, BaseDatabaseWrapper.commit

    def entering(self: Atomic) -> None:
        if not connections[self.using or "default"].in_atomic_block:
            POINTS.reach("before a transaction")
        enter(self)

    def committing(self: BaseDatabaseWrapper) -> None:
        commit(self)
        POINTS.reach("after the commit")

    Atomic.__enter__ = entering  # type: ignore[method-assign]
    BaseDatabaseWrapper.commit = committing  # type: ignore[method-assign]


def _watch_statements() -> None:
    execute = CursorWrapper.execute

    def executing(self: CursorWrapper, sql: str, params: Any = None) -> Any:
        result = execute(self, sql, params)
        verb, *rest = sql.split(maxsplit=5)
        if verb in WRITES:
            table = next(word for word in rest if word[0] in '`"').strip('`"')
            if self.db.in_atomic_block:
                POINTS.reach(f"after {verb} {table}")
            elif not any(mark in sql for mark in HEARTBEAT):
                POINTS.reach(f"after {verb} {table}, alone")
        return result

    CursorWrapper.execute = executing  # type: ignore[method-assign,assignment]


def _watch_run_loop() -> None:
    submit = run_loop.submit

    def submitting(work: Coroutine[Any, Any, Any]) -> Future[Any]:
        future = submit(work)
        POINTS.works.append(future)
        return future

    run_loop.submit = submitting


def _watch_model() -> None:
    stream = RehearsalModel.stream

    async def streaming(
        self: RehearsalModel, request: ModelRequest
    ) -> AsyncGenerator[StreamEvent, None]:
        check_request(request)
        self._pause = POINTS.pause
        POINTS.reach("the model is asked")
        shown = 0
        async with aclosing(stream(self, request)) as events:
            async for event in events:
                if isinstance(event, ModelResponse):
                    POINTS.reach("the model has answered")
                yield event
                shown += 1
                if shown == 1:
                    POINTS.reach("the model streams")

    RehearsalModel.stream = streaming  # type: ignore[method-assign]


def _watch_tools() -> None:
    run_round = ToolExecutor.run_round

    async def running(
        self: ToolExecutor, calls: Sequence[ToolCall]
    ) -> AsyncGenerator[ToolResult, None]:
        between, POINTS.between = POINTS.between, lambda: None
        await asyncio.to_thread(between)
        POINTS.reach("a tool runs")
        async with aclosing(run_round(self, calls)) as results:
            async for result in results:
                POINTS.reach("a tool is done")
                yield result

    ToolExecutor.run_round = running  # type: ignore[method-assign]
