"""Fifty sockets of one process, each with an answer that streams; by the server's CPU time."""

import asyncio
import statistics
from dataclasses import dataclass

from benchmarks.figures import Figure, at_least, beside, hand_over
from benchmarks.socket_clients import Server, answers, close, serving

SOCKETS, DELTAS = 50, 200
PIECE_CHARS = 10
ROUNDS = 5
SETTLE_S = 0.2  # what follows the end of an answer
PACES = {"as fast as they come": 0.0, "50 a second each": 0.02}
SERVERS = ("daphne", "uvicorn")


@dataclass(frozen=True, slots=True)
class Spent:
    """Deltas a second of CPU time, four ways of the same round."""

    raw: float
    json: float
    ours: float
    deltas: float  # ours, with nothing stored


async def rate(server: Server, paths: list[str], gap: float, *, stored: bool = True) -> float:
    """Deltas that one second of the server's CPU time carries to all of these sockets."""
    sockets = await server.open(paths)
    before = server.cpu_s()
    order = {"go": DELTAS, "gap": gap, "stored": stored}
    chars = await asyncio.gather(*(answers(socket, order) for socket in sockets))
    await asyncio.sleep(SETTLE_S)
    spent = server.cpu_s() - before
    assert set(chars) == {DELTAS * PIECE_CHARS}, "a delta was lost"
    await close(sockets)
    return SOCKETS * DELTAS / spent


async def rounds(server: Server, gap: float) -> list[Spent]:
    """The four in turns; the first round warms up."""
    found = []
    for _ in range(ROUNDS + 1):
        raw = await rate(server, ["/raw"] * SOCKETS, gap)
        plain = await rate(server, ["/json"] * SOCKETS, gap)
        ours = await rate(server, server.ours, gap)
        found.append(Spent(raw, plain, ours, await rate(server, server.ours, gap, stored=False)))
    return found[1:]


def figures() -> list[Figure]:
    """For each server and pace: against bare ASGI and Channels; and what the database costs."""
    found = []
    for name in SERVERS:
        for pace, gap in PACES.items():
            with serving(name, SOCKETS) as server:
                spent = asyncio.run(rounds(server, gap))
            what = f"deltas a CPU second, {SOCKETS} sockets, {pace}, {name}, against"
            raw = statistics.median(one.ours / one.raw for one in spent)
            plain = statistics.median(one.ours / one.json for one in spent)
            alone = statistics.median(one.deltas / one.raw for one in spent)
            found += [
                at_least(f"{what} bare ASGI", 0.8, raw),
                at_least(f"{what} send_json", 1.0, plain),
                beside("... bare ASGI, were nothing stored", alone),
            ]
    return found


if __name__ == "__main__":
    hand_over(figures())
