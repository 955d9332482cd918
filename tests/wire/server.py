"""A scripted OpenAI-compatible server in a process of its own, for tests over real HTTP.

    python tests/wire/server.py [PORT]      listens on 127.0.0.1, prints the port (0: any free one)

Model side: `POST .../chat/completions` and `GET .../models`. Each completion takes the first reply
of the script whose `when` occurs in the last message (or that has no `when`); with none left the
echo agent answers: a short text with usage, and for a last message that names `<handoff>` a
handoff block.

Control side: `POST /script` with a JSON list of replies (added to the end), `POST /reset` (forgets
script and requests), `GET /requests`: a list of {path, headers, body, reply, disconnected,
finished, duration}; `disconnected` says that the client went away before the reply's end,
`duration` is in seconds from the request to the end or the disconnect.

A reply is an object; all keys are optional:

    when          text that must occur in the request's last message
    text          the answer; `piece` characters a chunk (default 8, more where the text is long)
    reasoning     sent before the text as `reasoning_content`
    tool_calls    list of {name, arguments (object or text), id?}
    finish        finish_reason (default "stop" or "tool_calls"; null: none is sent)
    usage         {prompt_tokens, completion_tokens, ...} (null: none is sent)
    done          whether `data: [DONE]` ends the stream (default true)
    chunks        list of objects to send as the stream instead, each as one `data:` line
    sse           the stream's text instead; or `sse_hex`, its bytes in hexadecimal
    chunk_size    cut the stream's bytes into pieces of this size (default: one piece an event)
    pause         seconds between pieces (default 0)
    keepalive     seconds: while pausing or hanging, send a comment this often
    delay         seconds before the status line
    status, headers, body     an HTTP answer instead of a stream (body: object or text)
    hang_after    after this many pieces, wait for ever (0: right after the headers)
    abort_after   after this many pieces, cut the connection
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

Json = dict[str, Any]
REASONS = {200: "OK"}
PIECE_CHARS = 8
MOST_PIECES = 100  # of a text whose reply names no `piece`


@dataclass
class Recorded:
    """One request as the tests see it."""

    path: str
    headers: dict[str, str]
    body: Any
    reply: Json
    disconnected: bool = False
    finished: bool = False
    duration: float = 0.0


@dataclass
class State:
    """The script that is left and the requests that came."""

    script: list[Json] = field(default_factory=list)
    requests: list[Recorded] = field(default_factory=list)

    def next_reply(self, last_message: str) -> Json:
        """Take the first reply of the script that fits, else the echo agent's."""
        for position, reply in enumerate(self.script):
            if str(reply.get("when", "")) in last_message:
                return self.script.pop(position)
        return echo(last_message)


def echo(last_message: str) -> Json:
    """What the server answers without a script."""
    if "<handoff>" in last_message:
        return {"text": "<handoff>Echo of the work so far.</handoff>"}
    return {"text": f"Echo: {last_message[:60]}"}


def last_text(body: Any) -> str:
    """The text of the last message of a request."""
    messages = body.get("messages") if isinstance(body, dict) else None
    content = messages[-1].get("content") if messages else ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def chunk(delta: Json, finish: str | None = None) -> Json:
    """A chat completion chunk."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-wire", "object": "chat.completion.chunk", "choices": [choice]}


def usage_of(reply: Json, body: Any) -> Json | None:
    """The reply's usage, else one made from sizes: bytes / 4."""
    if "usage" in reply:
        usage: Json | None = reply["usage"]
        return usage
    prompt = len(json.dumps(body, ensure_ascii=False).encode()) // 4
    completion = max(1, len(str(reply.get("text", ""))) // 4)
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}


def stream_chunks(reply: Json, body: Any) -> list[Json]:
    """The reply as chunks."""
    text = str(reply.get("text", ""))
    size = int(reply.get("piece", max(PIECE_CHARS, len(text) // MOST_PIECES)))
    calls = reply.get("tool_calls", [])
    chunks = [chunk({"role": "assistant", "content": ""})]
    if reply.get("reasoning"):
        chunks.append(chunk({"reasoning_content": reply["reasoning"]}))
    chunks += [chunk({"content": text[at : at + size]}) for at in range(0, len(text), size)]
    for index, call in enumerate(calls):
        arguments = call.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call_id = call.get("id", f"call_{time.monotonic_ns()}_{index}")
        function = {"name": call["name"], "arguments": ""}
        start = {"index": index, "id": call_id, "type": "function", "function": function}
        chunks.append(chunk({"tool_calls": [start]}))
        chunks.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]}))
    finish = reply.get("finish", "tool_calls" if calls else "stop")
    if finish is not None:
        chunks.append(chunk({}, finish))
    if usage := usage_of(reply, body):
        chunks.append({"id": "chatcmpl-wire", "choices": [], "usage": usage})
    return chunks


def pieces_of(reply: Json, body: Any) -> list[bytes]:
    """The bytes of the stream as they are to be written."""
    if "sse_hex" in reply:
        pieces = [bytes.fromhex(reply["sse_hex"])]
    elif "sse" in reply:
        pieces = [str(reply["sse"]).encode()]
    else:
        chunks = reply.get("chunks") or stream_chunks(reply, body)
        pieces = [f"data: {json.dumps(each, ensure_ascii=False)}\n\n".encode() for each in chunks]
        if reply.get("done", True):
            pieces.append(b"data: [DONE]\n\n")
    size = reply.get("chunk_size")
    if not size:
        return pieces
    whole = b"".join(pieces)
    return [whole[at : at + size] for at in range(0, len(whole), size)]


class Connection:
    """One request and its answer; the connection is closed after it."""

    def __init__(
        self, state: State, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.state = state
        self.reader = reader
        self.writer = writer

    async def serve(self) -> None:
        """Read the request, answer it."""
        method, path, headers = await self._head()
        raw = await self.reader.readexactly(int(headers.get("content-length", 0)))
        body = json.loads(raw) if raw else None
        if method == "POST" and path.endswith("/chat/completions"):
            await self._complete(Recorded(path, headers, body, self._reply_to(body)))
        elif method == "GET" and path.endswith("/models"):
            await self._answer(200, {"object": "list", "data": [{"id": "wire"}]})
        elif (method, path) == ("GET", "/requests"):
            await self._answer(200, [asdict(each) for each in self.state.requests])
        elif (method, path) == ("POST", "/script"):
            self.state.script.extend(body or [])
            await self._answer(200, {"left": len(self.state.script)})
        elif (method, path) == ("POST", "/reset"):
            self.state.script.clear()
            self.state.requests.clear()
            await self._answer(200, {})
        else:
            await self._answer(404, {"error": {"message": f"no such page: {method} {path}"}})

    def _reply_to(self, body: Any) -> Json:
        return self.state.next_reply(last_text(body))

    async def _head(self) -> tuple[str, str, dict[str, str]]:
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _version = lines[0].split(" ", 2)
        pairs = (line.partition(":") for line in lines[1:] if line)
        return method, path, {name.lower(): value.strip() for name, _, value in pairs}

    async def _answer(self, status: int, body: Any, headers: Json | None = None) -> None:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        kind = "text/html" if isinstance(body, str) else "application/json"
        data = text.encode()
        await self._start(status, {"content-type": kind, "content-length": len(data)}, headers)
        self.writer.write(data)
        await self.writer.drain()

    async def _start(self, status: int, *headers: Json | None) -> None:
        merged: Json = {"connection": "close"}
        for each in headers:
            merged.update(each or {})
        lines = "".join(f"{name}: {value}\r\n" for name, value in merged.items())
        self.writer.write(
            f"HTTP/1.1 {status} {REASONS.get(status, 'Error')}\r\n{lines}\r\n".encode()
        )
        await self.writer.drain()

    async def _complete(self, recorded: Recorded) -> None:
        """Answer while watching the client: when it goes away the answer is stopped."""
        self.state.requests.append(recorded)
        began = time.monotonic()
        answering = asyncio.create_task(self._play(recorded))
        watching = asyncio.create_task(self.reader.read(1))
        await asyncio.wait({answering, watching}, return_when=asyncio.FIRST_COMPLETED)
        recorded.disconnected = not answering.done()
        recorded.duration = time.monotonic() - began
        for task in (answering, watching):
            task.cancel()
        with suppress(asyncio.CancelledError, ConnectionError):
            await answering
        with suppress(asyncio.CancelledError, ConnectionError):
            await watching

    async def _play(self, recorded: Recorded) -> None:
        reply, body = recorded.reply, recorded.body
        await asyncio.sleep(reply.get("delay", 0))
        if "body" in reply or "status" in reply:
            await self._answer(
                reply.get("status", 200), reply.get("body", ""), reply.get("headers")
            )
        else:
            kind = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
            await self._start(200, kind, reply.get("headers"))
            if not await self._stream(reply, pieces_of(reply, body)):
                return
            self.writer.write(b"0\r\n\r\n")
            await self.writer.drain()
        recorded.finished = True

    async def _stream(self, reply: Json, pieces: list[bytes]) -> bool:
        for number, piece in enumerate([*pieces, b""]):
            if number == reply.get("abort_after"):
                self.writer.transport.abort()
                return False
            if number == reply.get("hang_after"):
                await self._wait(reply, float("inf"))
            if piece:
                await self._write(piece)
                await self._wait(reply, reply.get("pause", 0))
        return True

    async def _wait(self, reply: Json, seconds: float) -> None:
        step = reply.get("keepalive") or min(seconds, 3600)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(step, left))
            if reply.get("keepalive"):
                await self._write(b": keep-alive\n\n")

    async def _write(self, data: bytes) -> None:
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()


async def main(port: int) -> None:
    """Serve until the process is ended."""
    state = State()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await Connection(state, reader, writer).serve()
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=2**20)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
