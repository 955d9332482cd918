"""What sockets are not told, looked up once a second: lost announcements, frames and partials of
other processes, sign-outs, clients that stopped reading.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping

from django.db import Error

from sessions_app import partials, socket_auth, stream
from sessions_app.run_loop import database
from sessions_app.socket_auth import Credential
from sessions_app.socket_room import Occupant, Room
from sessions_app.stream import Head

LOOK_S = 1.0
IDENTITY_LOOKS = 4  # a sign-out closes silent sockets within five seconds
SLOW_READER_S = 10.0  # how long one frame may wait for its client
TOO_SLOW = 4408

log = logging.getLogger(__name__)

Rooms = Mapping[int, Room]


async def watch(rooms: Rooms) -> None:
    """Look for ever; a database that is away is asked again the next time."""
    count = 0
    while True:
        await asyncio.sleep(LOOK_S)
        count += 1
        _cut_slow_readers(rooms)
        try:
            await _look(rooms)
            if count % IDENTITY_LOOKS == 0:
                await _check_identities(rooms)
        except Error:
            log.exception("the database can't be asked for news now")


def _occupants(rooms: Rooms) -> Iterator[Occupant]:
    for room in list(rooms.values()):
        yield from list(room.occupants)


def _cut_slow_readers(rooms: Rooms) -> None:
    now = asyncio.get_running_loop().time()
    for occupant in _occupants(rooms):
        since = occupant.sending_since
        if since is not None and now - since > SLOW_READER_S:
            occupant.cut(TOO_SLOW, "the client does not read; connect again and subscribe")


async def _look(rooms: Rooms) -> None:
    asked = dict(rooms)
    heads = await database(stream.heads, list(asked))
    for session_id, room in asked.items():
        room.forget_what_all_have()
        if session_id in heads:
            room.announced(heads[session_id].seq)
        for occupant in list(room.occupants):
            _check_session(occupant, heads.get(session_id))
    elsewhere = {
        session_id: head
        for session_id, head in heads.items()
        if head.execution_id and partials.get(session_id) is None
    }
    if elsewhere:
        await _relay(rooms, elsewhere)


def _check_session(occupant: Occupant, head: Head | None) -> None:
    if head is None:
        occupant.close(socket_auth.NO_SUCH_SESSION, "the session was deleted")
    elif head.owner_id != occupant.admission.user_id:
        occupant.close(socket_auth.NOT_OWNER, "the session belongs to someone else")


async def _relay(rooms: Rooms, elsewhere: Mapping[int, Head]) -> None:
    """Frames (the heads) first, then partials: a text is missing for a moment, never doubled."""
    found = await database(stream.stored_partials, elsewhere)
    for session_id, partial in found.items():
        room, head = rooms.get(session_id), elsewhere[session_id]
        if room is None:
            continue
        for delta in room.relay.deltas(partial, execution_id=head.execution_id, after_seq=head.seq):
            room.take_delta(delta)


async def _check_identities(rooms: Rooms) -> None:
    """Each credential is asked for once, however many sockets it has open."""
    shown = {occupant.admission.credential for occupant in _occupants(rooms)}
    users = await database(_users_of, shown)
    for occupant in _occupants(rooms):
        credential = occupant.admission.credential
        if credential in users and users[credential] != occupant.admission.user_id:
            occupant.close(socket_auth.NOT_SIGNED_IN, "not signed in any more")


def _users_of(credentials: set[Credential]) -> dict[Credential, int | None]:
    return {credential: socket_auth.user_of(credential) for credential in credentials}
