"""Deadlines and the concurrency limit, without a network."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest

from agent.clients.base import ConcurrencyLimit, Deadlines, with_deadlines
from agent.errors import ModelUnavailable
from agent.messages import ModelResponse, StreamEvent, TextDelta
from agent.request import ModelRequest
from tests.agent.clients.building import a_request, events_of

QUICK = Deadlines(first_token=0.1, chunk_gap=0.1, total=0.3)


class Source:
    """A stream of these items, each after a pause; knows whether it was closed."""

    def __init__(self, *items: StreamEvent | None, pause: float = 0.0) -> None:
        self.items, self.pause, self.closed = items, pause, False

    async def stream(self) -> AsyncGenerator[StreamEvent | None, None]:
        try:
            for item in self.items:
                if self.pause:
                    await asyncio.sleep(self.pause)
                yield item
        finally:
            await asyncio.sleep(0)  # closing a connection waits too
            self.closed = True


async def test_it_passes_events_on_and_closes() -> None:
    source = Source(TextDelta("a"), None, ModelResponse(text="a"))
    events = await events_of(with_deadlines(source.stream(), QUICK))
    assert events == [TextDelta("a"), ModelResponse(text="a")]
    assert source.closed


async def test_the_first_token_deadline_is_named() -> None:
    source = Source(TextDelta("a"), pause=5)
    with pytest.raises(ModelUnavailable, match=r"passed the first-token deadline of 0\.1 s"):
        await events_of(with_deadlines(source.stream(), QUICK))
    assert source.closed


async def test_the_gap_deadline_is_named() -> None:
    async def stream() -> AsyncGenerator[StreamEvent | None, None]:
        yield TextDelta("a")
        await asyncio.sleep(5)

    with pytest.raises(ModelUnavailable, match=r"passed the chunk-gap deadline of 0\.1 s"):
        await events_of(with_deadlines(stream(), QUICK))


async def test_a_drip_meets_the_total_deadline() -> None:
    source = Source(*[TextDelta("a")] * 100, pause=0.05)
    patient = replace(QUICK, chunk_gap=5.0)
    with pytest.raises(ModelUnavailable, match=r"passed the total deadline of 0\.3 s"):
        await events_of(with_deadlines(source.stream(), patient))
    assert source.closed


async def test_a_flood_without_a_pause_meets_the_total_deadline() -> None:
    source = Source(*[TextDelta("a")] * 10_000_000)
    with pytest.raises(ModelUnavailable, match="total deadline"):
        await events_of(with_deadlines(source.stream(), Deadlines(total=0.05)))


async def test_hidden_progress_is_no_silence() -> None:
    source = Source(None, None, None, ModelResponse(text="a"), pause=0.2)
    patient = Deadlines(first_token=1, chunk_gap=0.7)  # less than the four pauses
    assert await events_of(with_deadlines(source.stream(), patient)) == [ModelResponse(text="a")]


async def test_a_timeout_of_the_source_stays_what_it_is() -> None:
    async def stream() -> AsyncGenerator[StreamEvent | None, None]:
        yield TextDelta("a")
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        await events_of(with_deadlines(stream(), QUICK))


async def test_a_cancel_stays_a_cancel_and_closes() -> None:
    source = Source(TextDelta("a"), pause=5)
    task = asyncio.create_task(events_of(with_deadlines(source.stream(), Deadlines())))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert source.closed


async def test_stopping_early_closes_the_source() -> None:
    source = Source(TextDelta("a"), TextDelta("b"))
    async with aclosing(with_deadlines(source.stream(), QUICK)) as events:
        await anext(events)
    assert source.closed


def test_a_deadline_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="deadline total is 0; it must be above 0 seconds"):
        Deadlines(total=0)


class Counting:
    """A client that knows how many of its streams run."""

    def __init__(self) -> None:
        self.running = self.most = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(0.01)
            yield ModelResponse(text="a")
        finally:
            self.running -= 1


async def test_no_more_streams_run_than_allowed() -> None:
    counting = Counting()
    client = ConcurrencyLimit(2).apply(counting)
    answers = await asyncio.gather(*(events_of(client.stream(a_request())) for _ in range(6)))
    assert answers == [[ModelResponse(text="a")]] * 6
    assert (counting.most, counting.running) == (2, 0)


def test_a_limit_serves_several_loops() -> None:
    client = ConcurrencyLimit(1).apply(Counting())

    async def two() -> None:
        await asyncio.gather(*(events_of(client.stream(a_request())) for _ in range(2)))

    asyncio.run(two())
    asyncio.run(two())


def test_a_limit_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="MODEL_CONCURRENCY is 0; it must be at least 1"):
        ConcurrencyLimit(0)
