"""The server of the socket benchmarks: our application, and beside it what it is compared with.

All three take `{"go": deltas, "gap": seconds, "stored": bool}` and answer with so many pieces of
text: `/raw` as bare ASGI with texts that are ready, `/json` by Channels' `send_json`, and
`/ours/<session>` through listener, database, hub and socket of a run; not `stored`, through hub and
socket only. HTTP answers with what was used.
"""

import asyncio
import gc
import json
import os
import socket
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

os.environ["MAX_SOCKETS_PER_USER"] = "10000"

from benchmarks import database  # first of what needs Django: it chooses the database

# isort: split
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.routing import get_default_application
from daphne.endpoints import build_endpoint_description_strings
from daphne.server import Server
from rest_framework.authtoken.models import Token

from agent.messages import Message, ModelResponse, TextDelta, Usage
from sessions_app import claims, hub, run_loop
from sessions_app.assembly import Execution, assemble
from sessions_app.live_round import LiveRound
from sessions_app.models import Claim
from sessions_app.outermost import work_to_its_end

PIECE = " and so on"  # of about three tokens, as models stream them
EXECUTION = "bench"
FRAME = {
    "type": "content_delta",
    "sessionId": 1,
    "seq": None,
    "data": {"delta": PIECE, "offset": 0, "requestId": 1, "executionId": EXECUTION},
}
READY = {"type": "websocket.send", "text": json.dumps(FRAME)}
END = {"type": "message_end"}

Emit = Callable[[], Awaitable[None] | None]
executions: dict[int, Execution] = {}


async def stream(emit: Emit, *, go: int, gap: float, stored: bool = True) -> None:
    """So many pieces, so many seconds apart; 0: as fast as they come, the loop looking round."""
    del stored
    due = time.monotonic()
    for _ in range(go):
        due += gap
        await asyncio.sleep(max(0, due - time.monotonic()) if gap else 0)
        sent = emit()
        if sent is not None:
            await sent


class Json(AsyncJsonWebsocketConsumer):
    """What Channels' manual shows."""

    async def receive_json(self, content: Any, **_: Any) -> None:
        """Stream."""
        await stream(lambda: self.send_json(FRAME), **content)
        await self.send_json(END)


async def raw(receive: Any, send: Any) -> None:
    """Nothing between the server and the text."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] != "websocket.disconnect":
        await stream(lambda: send(READY), **json.loads(message["text"]))
        await send({"type": "websocket.send", "text": json.dumps(END)})


async def one_round(session_id: int, *, stored: bool, go: int, gap: float) -> None:
    """What a run does around a round and in it, with its heartbeat; or the deltas alone."""
    execution = executions[session_id]
    if not stored:
        await streamed(execution.listener.round, go, gap)
        return
    claim: dict[str, Any] = {"session_id": session_id, "execution_id": EXECUTION}
    await run_loop.database(claims.take, **claim, kind=Claim.Kind.RUN)
    end = await work_to_its_end(session_id, EXECUTION, told(execution, go, gap))
    assert end.how == "done", end
    await run_loop.database(claims.release, **claim)


async def streamed(live: LiveRound, go: int, gap: float) -> None:
    """Deltas of which nothing is stored, and a word that they have ended."""
    live.begin(1)
    await stream(lambda: live.add(TextDelta(PIECE)), go=go, gap=gap)
    live.flush()
    hub.delta(live.session_id, json.dumps(END), after_seq=live.seq)


async def told(execution: Execution, go: int, gap: float) -> None:
    """A round as the loop tells of it: the request, its deltas, the answer that is stored."""
    listener, loaded = execution.listener, execution.loaded
    await listener.request_started(loaded.builder.build(loaded.conversation))
    await stream(lambda: listener.delta(TextDelta(PIECE)), go=go, gap=gap)
    text = PIECE * go
    await listener.response_finished(
        Message("assistant", text, tokens=3 * go),
        ModelResponse(text=text, usage=Usage(1_000, 3 * go, 0)),
        duration_ms=1,
    )


async def through_us(scope: Any, receive: Any, send: Any) -> None:
    """The real socket of a session; only the word to begin is taken out of what comes in."""
    session_id = int(scope["path"].rpartition("/")[2])

    async def receive_rest() -> Any:
        while True:
            message = await receive()
            if '"go"' not in (message.get("text") or ""):
                return message
            begun = run_loop.submit(one_round(session_id, **json.loads(message["text"])))
            begun.add_done_callback(lambda done: done.result())  # logs what went wrong

    ours: Any = get_default_application()  # not before there are tables: it looks for dead runs
    await ours({**scope, "path": f"/ws/sessions/{session_id}"}, receive_rest, send)


async def figures(send: Any) -> None:
    """CPU seconds of all threads since the start; Python's memory in bytes, where it is traced."""
    if tracemalloc.is_tracing():
        gc.collect()
    body = json.dumps([time.process_time(), tracemalloc.get_traced_memory()[0]]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def application(scope: Any, receive: Any, send: Any) -> None:
    """All of it."""
    if scope["type"] == "http":
        await figures(send)
    elif scope["path"] == "/raw":
        await raw(receive, send)
    elif scope["path"] == "/json":
        await json_application(scope, receive, send)
    else:
        await through_us(scope, receive, send)


json_application: Any = Json.as_asgi()


def main(server: str, sessions: int) -> None:
    """Serve until the process is ended; the first line of the output says what a client needs."""
    database.prepare()
    made = [database.session(0) for _ in range(sessions)]
    for session in made:
        executions[session.pk] = assemble(session.pk, EXECUTION)
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    token = Token.objects.get_or_create(user=made[0].owner)[0].key
    paths = [f"/ours/{session.pk}" for session in made]
    print(json.dumps({"port": port, "token": token, "ours": paths}), flush=True)
    serve(server, port)


def serve(server: str, port: int) -> None:
    """By daphne as `make run` does it, or by uvicorn as ARCHITECTURE.md has it for more."""
    if server == "daphne":
        endpoints = build_endpoint_description_strings(host="127.0.0.1", port=port)
        Server(application=application, endpoints=endpoints).run()
        return
    import uvicorn  # noqa: PLC0415 - the other server

    uvicorn.run(application, port=port, ws="websockets-sansio", log_level="warning", lifespan="off")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
