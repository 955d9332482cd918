"""Looks every few seconds for executions that died, and drops frames that nobody needs any more."""

import asyncio
import logging
from concurrent.futures import Future

from django.conf import settings
from django.db import DatabaseError

from sessions_app import interruption, run_loop, stream

PRUNE_EVERY = 720  # sweeps: once an hour at the usual interval

log = logging.getLogger(__name__)


async def sweep_forever() -> None:
    """Sweep now and every few seconds; a database that is away is asked again next time."""
    count, interval = 0, settings.SWEEP_INTERVAL_S
    while True:
        try:
            await run_loop.database(interruption.sweep)
            if count % PRUNE_EVERY == 0:
                await run_loop.database(interruption.sweep_files)
                await run_loop.database(stream.prune)
        except DatabaseError:
            log.exception("the sweep failed; it is tried again in %s s", interval)
        count += 1
        await asyncio.sleep(interval)


def start() -> "Future[None] | None":
    """Begin sweeping in this process; None with an interval of 0, which means never."""
    return run_loop.submit(sweep_forever()) if settings.SWEEP_INTERVAL_S else None
