"""Keeps a claim alive while its execution works, and looks for the wish to stop."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import django.db
import orjson
from django.conf import settings

from agent.errors import ClaimLost
from sessions_app import claims, partials
from sessions_app.run_loop import database

log = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0  # or more often, where the lease is short


@asynccontextmanager
async def beating(session_id: int, execution_id: str) -> AsyncIterator[None]:
    """While inside: renew the lease in time, keep the partial, cancel the block when asked to.

    Raises ClaimLost out of the block when the claim went to someone else.
    """
    task = asyncio.current_task()
    assert task is not None
    beat = asyncio.create_task(_beat(session_id, execution_id, task))
    try:
        yield
    except asyncio.CancelledError:
        if beat.done() and not beat.cancelled() and (lost := beat.exception()):
            task.uncancel()
            raise lost from None
        raise
    finally:
        beat.cancel()
        await asyncio.wait([beat])


async def _beat(session_id: int, execution_id: str, task: "asyncio.Task[object]") -> None:
    saved, renewed = "", time.monotonic()
    try:
        while True:
            await asyncio.sleep(min(LOOK_EVERY_S, settings.LEASE_S / 3))
            partial = partials.get(session_id)
            text = orjson.dumps(partial.as_dict()).decode() if partial else ""
            due = text != saved or time.monotonic() - renewed > settings.LEASE_S / 3
            try:
                stop = await database(
                    claims.beat,
                    session_id=session_id,
                    execution_id=execution_id,
                    partial=text if due else None,
                )
            except django.db.Error as error:  # locked or away: the claim may still be ours
                log.warning("execution %s could not renew its claim: %s", execution_id, error)
                continue
            if stop:
                task.cancel()
                return
            if due:
                saved, renewed = text, time.monotonic()
    except ClaimLost:
        task.cancel()
        raise
