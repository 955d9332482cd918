"""Reads the chunks out of a successful Chat Completions response, however it was packed."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Final

from agent.clients.sse import ServerSentEvent, SseDecoder
from agent.errors import ModelError, ModelUnavailable
from agent.phrases import Phrase

if TYPE_CHECKING:
    import httpx2

DONE = "[DONE]"
RESPONSE_BYTES = 20_000_000
TAIL_S: Final = 5.0  # how long usage may come after the stop reason, should the server not close
DRAIN_S: Final = 0.1  # after [DONE]: the connection is used again if its end arrives so soon
SHOWN_BYTES = 200


async def read_chunks(
    response: "httpx2.Response", is_done: Callable[[], bool]
) -> AsyncGenerator[object, None]:
    """The parsed chunks, in order; a plain JSON answer is one chunk.

    `is_done` tells whether the answer has its stop reason: from then on neither a lost connection
    nor a silent one is an error. Raises `ModelUnavailable` for a lost connection, unreadable data
    or a page that is no stream, `ModelError` for more than `RESPONSE_BYTES`.
    """
    decoder = SseDecoder()
    body = bytearray()  # what came before the first event: the whole answer if it is no stream
    found = False
    async with aclosing(_pieces(response, is_done)) as pieces:
        async for piece in pieces:
            for event in decoder.feed(piece):
                found = True
                if event.data.strip() == DONE:
                    await _drain(pieces)
                    return
                yield _parsed(event)
            if not found:
                body += piece
    for event in decoder.close():  # the last blank line may be missing, or the event be cut
        with suppress(ModelUnavailable):
            yield _parsed(event)
            found = True
    if not found:
        yield _whole(bytes(body), response.headers.get("content-type", "no content type"))


async def _pieces(
    response: "httpx2.Response", is_done: Callable[[], bool]
) -> AsyncGenerator[bytes, None]:
    import httpx2  # noqa: PLC0415 - loaded with the SDK only

    received = 0
    async with aclosing(response.aiter_bytes()) as pieces:
        while True:
            try:
                async with asyncio.timeout(TAIL_S if is_done() else None):
                    piece = await anext(pieces, b"")
            except TimeoutError:
                return
            except httpx2.RequestError as error:
                if is_done():
                    return
                raise ModelUnavailable(
                    Phrase("connection lost: %(error)s", error=_named(error))
                ) from error
            if not piece:
                return
            received += len(piece)
            if received > RESPONSE_BYTES:
                raise ModelError(
                    Phrase(
                        "the model's response is larger than %(limit)s bytes",
                        limit=f"{RESPONSE_BYTES:,}",
                    )
                )
            yield piece


async def _drain(pieces: AsyncGenerator[bytes, None]) -> None:
    with suppress(TimeoutError, ModelUnavailable):
        async with asyncio.timeout(DRAIN_S):
            async for _ in pieces:
                pass


def _parsed(event: ServerSentEvent) -> object:
    try:
        chunk = json.loads(event.data)  # orjson refuses a surrogate pair cut in two
    except (ValueError, RecursionError) as error:
        shown = event.data[:SHOWN_BYTES]
        raise ModelUnavailable(
            Phrase("the model's stream holds unreadable data: %(data)s", data=repr(shown))
        ) from error
    if event.name == "error" and not (isinstance(chunk, dict) and chunk.get("error")):
        return {"error": chunk}
    return chunk


def _whole(body: bytes, content_type: str) -> object:
    """The answer of a server that didn't stream."""
    text = body.decode("utf-8", "replace")
    if not text.strip():
        raise ModelUnavailable(
            Phrase("connection lost: the model's stream ended before its first chunk")
        )
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        shown = " ".join(text[:SHOWN_BYTES].split())
        raise ModelUnavailable(
            Phrase(
                "the server answered 200 without a stream (%(type)s): %(body)s",
                type=content_type,
                body=shown,
            )
        ) from error


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
