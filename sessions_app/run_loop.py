"""The one thread per process on which runs live, and the pool in which they use the database.

Entered only through `submit`, from views, consumers, commands and tests alike, so that a run never
depends on the event loop or thread of the request that started it.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from django.db import connections

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

DATABASE_THREADS = 4

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_pool: ThreadPoolExecutor | None = None


def start() -> asyncio.AbstractEventLoop:
    """The run loop, started by the first caller."""
    global _loop
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="run-loop", daemon=True).start()
        return _loop


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine on the run loop; the future may be waited for from any other thread."""
    return asyncio.run_coroutine_threadsafe(work, start())


def _database_pool() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="database")
        return _pool


def _close_broken_connections() -> None:
    """As Django does around a request, but whatever CONN_MAX_AGE says: the threads of the pool are
    few and live on, so each keeps its connection. Opening one costs more than most transactions.
    """
    for connection in connections.all(initialized_only=True):
        connection.close_at = None
        connection.close_if_unusable_or_obsolete()


async def database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run one synchronous function = one transaction in the pool, from any event loop.

    A cancelled caller gets its CancelledError only after the function has returned: a write is
    never half told.
    """

    def call() -> T:
        _close_broken_connections()
        try:
            return function(*args, **kwargs)
        finally:
            _close_broken_connections()

    task = asyncio.ensure_future(asyncio.get_running_loop().run_in_executor(_database_pool(), call))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if error := task.exception():  # nobody waits for it any more
            log.info("%s failed after its caller was cancelled: %r", function, error)
        raise


def close_connections() -> None:
    """Close the database connections of all pool threads. For tests, before their database is
    dropped.
    """
    pool = _database_pool()
    barrier = threading.Barrier(DATABASE_THREADS)

    def close() -> None:
        barrier.wait(timeout=10)
        connections.close_all()

    for future in [pool.submit(close) for _ in range(DATABASE_THREADS)]:
        future.result(timeout=10)
