"""Announcements to and from other processes, through Redis. Only (session, seq), never content.

One subscriber an event loop and one group a session. Sockets themselves don't touch the channel
layer, so that none is closed when Redis goes away: then news takes a second (`socket_watch`).
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from channels.layers import get_channel_layer
from django.core.exceptions import ImproperlyConfigured
from redis.exceptions import RedisError

from sessions_app import run_loop
from sessions_app.socket_room import Room

RETRY_S = 1.0
GROUP = "session.{}"

log = logging.getLogger(__name__)

Rooms = Mapping[int, Room]


def tell(session_id: int, seq: int) -> None:
    """Announce to all processes, from any thread, without waiting."""
    run_loop.submit(_send(session_id, seq))


async def _send(session_id: int, seq: int) -> None:
    message = {"type": "frames.announced", "session_id": session_id, "seq": seq}
    try:
        await _layer().group_send(GROUP.format(session_id), message)
    except (RedisError, OSError) as error:
        log.warning("other processes learn of new frames a second late: %s", error)


async def listen(rooms: Rooms, changed: asyncio.Event) -> None:
    """Pass announcements on to the rooms for ever; `changed` is set when there are other rooms.

    After a failure everything is subscribed anew.
    """
    while True:
        try:
            await _listen(rooms, changed)
        except (RedisError, OSError) as error:
            log.warning("no announcements from other processes now: %s", error)
        await asyncio.sleep(RETRY_S)


async def _listen(rooms: Rooms, changed: asyncio.Event) -> None:
    layer = _layer()
    channel = await layer.new_channel()
    receiving = asyncio.create_task(_receive(layer, channel, rooms))
    joined: set[int] = set()
    try:
        while True:
            changed.clear()
            wanted = set(rooms)
            for session_id in wanted - joined:
                await layer.group_add(GROUP.format(session_id), channel)
            for session_id in joined - wanted:
                await layer.group_discard(GROUP.format(session_id), channel)
            joined = wanted
            await changed.wait()
    finally:
        receiving.cancel()


async def _receive(layer: Any, channel: str, rooms: Rooms) -> None:
    while True:
        message = await layer.receive(channel)
        room = rooms.get(message["session_id"])
        if room is not None:
            room.announced(message["seq"])


def _layer() -> Any:
    layer = get_channel_layer()
    if layer is None:
        raise ImproperlyConfigured("CHANNEL_LAYERS has no default layer; REDIS_URL needs one.")
    return layer
