"""Looks every few seconds for executions that died, and drops frames that nobody needs any more."""

import asyncio
import logging

from django.db import DatabaseError

from sessions_app import interruption, run_loop, stream

INTERVAL_S = 5
PRUNE_EVERY = 720  # sweeps: once an hour

log = logging.getLogger(__name__)


async def sweep_forever() -> None:
    """Sweep now and every 5 s; a database that is away is asked again next time."""
    count = 0
    while True:
        try:
            await run_loop.database(interruption.sweep)
            if count % PRUNE_EVERY == 0:
                await run_loop.database(interruption.sweep_files)
                await run_loop.database(stream.prune)
        except DatabaseError:
            log.exception("the sweep failed; it is tried again in %s s", INTERVAL_S)
        count += 1
        await asyncio.sleep(INTERVAL_S)


def start() -> None:
    """Begin sweeping in this process."""
    run_loop.submit(sweep_forever())
