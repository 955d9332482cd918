"""What sockets and sessions cost in memory while nothing happens."""

import asyncio
import gc
import tracemalloc

from benchmarks import database  # first of what needs Django: it chooses the database

# isort: split
from django.test import Client

from benchmarks.figures import Figure, at_most, hand_over
from benchmarks.socket_clients import Server, close, serving
from sessions_app import run_loop
from sessions_app.assembly import assemble
from sessions_app.models import Session

SOCKETS, WARM = 100, 20
SETTLE_S = 1.5
MESSAGES = 10_000


async def kib_a_socket(server: Server, paths: list[str]) -> float:
    """What each of these sockets adds to the server's objects; a few before load the rest."""
    first = await server.open(paths[:WARM])
    await asyncio.sleep(SETTLE_S)
    before = server.python_kib()
    others = await server.open(paths[WARM:])
    await asyncio.sleep(SETTLE_S)
    grown = server.python_kib() - before
    await close([*first, *others])
    return grown / len(others)


def sockets() -> Figure:
    """Each on a session of its own, against a consumer that does nothing; a fresh server each."""
    count = WARM + SOCKETS
    with serving("daphne", 1, traced=True) as server:
        bare = asyncio.run(kib_a_socket(server, ["/json"] * count))
    with serving("daphne", count, traced=True) as server:
        own = asyncio.run(kib_a_socket(server, server.ours))
    what = f"an idle socket against a bare consumer ({own:.0f} and {bare:.0f} KiB)"
    return at_most(what, 1.3, own / bare)


def work_on(session: Session) -> None:
    """What a run loads and keeps until it ends, and the session's page."""
    database.take_claim(session, database.EXECUTION)
    execution = assemble(session.pk, database.EXECUTION)
    request = execution.loaded.builder.build(execution.loaded.conversation)
    run_loop.submit(execution.listener.request_started(request)).result()
    database.release_claim(session)
    client = Client(headers={"host": "localhost"})
    client.force_login(session.owner)
    assert client.get(f"/sessions/{session.pk}").status_code == 200


def sessions() -> Figure:
    """What stays in memory of a long session after its run."""
    work_on(database.session(100))  # loads what is loaded once
    session = database.session(MESSAGES)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    work_on(session)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    what = f"an idle session of {MESSAGES:,} messages, for each of them"
    return at_most(what, 80, kept / MESSAGES, " bytes")


if __name__ == "__main__":
    database.prepare()
    hand_over([sockets(), sessions()])
