"""What every client shares: the deadlines of a stream, and how many streams run at once."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, fields
from typing import Final
from weakref import WeakKeyDictionary

from agent.errors import ModelUnavailable
from agent.messages import StreamEvent
from agent.phrases import Phrase
from agent.protocols import ModelClient
from agent.request import ModelRequest

_END: Final = object()


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a model request may take, in seconds; every value is above 0.

    `connect` is for the clients' transports; the other three are kept by `with_deadlines`.
    """

    connect: float = 10.0
    first_token: float = 300.0
    chunk_gap: float = 120.0
    total: float = 1_800.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise ValueError(f"deadline {each.name} is {value!r}; it must be above 0 seconds")


async def with_deadlines(
    stream: AsyncGenerator[StreamEvent | None, None], deadlines: Deadlines
) -> AsyncGenerator[StreamEvent, None]:
    """The stream's events; a `ModelUnavailable` that names the deadline when one passes.

    A None from the inner stream says that something arrived that is not shown (a piece of a tool
    call): it counts as a token and is not passed on. Keep-alives must not be reported.
    The inner stream is closed whatever happens.
    """
    end = time.monotonic() + deadlines.total
    allowed, name = deadlines.first_token, "first-token"
    async with aclosing(stream) as events:
        while True:
            left = end - time.monotonic()
            if left <= allowed:
                item = await _next(events, left, _passed("total", deadlines.total))
            else:
                item = await _next(events, allowed, _passed(name, allowed))
            if item is _END:
                return
            allowed, name = deadlines.chunk_gap, "chunk-gap"
            if item is not None:
                yield item  # type: ignore[misc]  # the sentinel has been dealt with


async def _next(
    events: AsyncGenerator[StreamEvent | None, None], seconds: float, passed: Phrase
) -> object:
    """The next item, or `_END`. The limit spans this one await only, never a yield."""
    if seconds <= 0:  # a source that is always ready would never be interrupted
        raise ModelUnavailable(passed)
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await anext(events, _END)
    except TimeoutError as error:
        if not limit.expired():  # the source's own
            raise
        raise ModelUnavailable(passed) from error


def _passed(name: str, seconds: float) -> Phrase:
    return Phrase(
        "the model's answer passed the %(name)s deadline of %(seconds)s s",
        name=name,
        seconds=f"{seconds:g}",
    )


class ConcurrencyLimit:
    """How many model streams run at once (`MODEL_CONCURRENCY`); one object for the whole process.

    Counted per event loop, since an asyncio primitive serves one loop only; a process has one run
    loop. Waiting for a slot uses up none of a request's deadlines.
    """

    def __init__(self, at_once: int = 64) -> None:
        if at_once < 1:
            raise ValueError(f"MODEL_CONCURRENCY is {at_once}; it must be at least 1")
        self._at_once = at_once
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    def slots(self) -> asyncio.Semaphore:
        """The running loop's slots."""
        return self._slots.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._at_once))

    def apply(self, client: ModelClient) -> "LimitedClient":
        """The same client under this limit."""
        return LimitedClient(client, self)


class LimitedClient:
    """A client whose streams wait for a free slot and hold it until they are closed."""

    def __init__(self, client: ModelClient, limit: ConcurrencyLimit) -> None:
        self._client = client
        self._limit = limit

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """The inner client's stream, once a slot is free."""
        async with (
            self._limit.slots(),
            aclosing(self._client.stream(request)) as events,
        ):
            async for event in events:
                yield event
