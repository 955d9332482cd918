"""What is tried again and how long is waited; no test sleeps."""

import asyncio
from dataclasses import dataclass, field

import pytest

from agent.errors import (
    AgentError,
    ContextOverflow,
    ModelOutputInvalid,
    ModelUnavailable,
    ToolError,
)
from agent.protocols import RetryNotice
from agent.retry import RetryPolicy, with_retries


@dataclass
class Bench:
    """Plays a model that fails with `errors` in order, then answers; records what was waited."""

    errors: list[AgentError]
    waits: list[float] = field(default_factory=list)
    notices: list[RetryNotice] = field(default_factory=list)
    sent: int = 0

    async def run(self, policy: RetryPolicy | None = None) -> str:
        return await with_retries(
            self.send, notify=self.notify, policy=policy or RetryPolicy(), sleep=self.sleep
        )

    async def send(self) -> str:
        self.sent += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"

    async def notify(self, notice: RetryNotice) -> None:
        assert len(self.waits) == len(self.notices)  # told before each wait
        self.notices.append(notice)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def lost(times: int) -> list[AgentError]:
    return [ModelUnavailable("connection lost") for _ in range(times)]


async def test_an_answer_needs_no_retry() -> None:
    bench = Bench([])
    assert await bench.run() == "answer"
    assert (bench.sent, bench.waits, bench.notices) == (1, [], [])


async def test_waits_double() -> None:
    bench = Bench(lost(4))
    assert await bench.run() == "answer"
    assert bench.waits == [1, 2, 4, 8]


async def test_each_wait_is_announced() -> None:
    bench = Bench([ModelUnavailable("busy", status_code=503), ModelOutputInvalid("blank")])
    await bench.run()
    assert bench.notices == [
        RetryNotice("busy", 503, attempt=1, max_retries=4, delay_seconds=1),
        RetryNotice("blank", None, attempt=2, max_retries=4, delay_seconds=2),
    ]


async def test_the_last_error_is_raised() -> None:
    bench = Bench([*lost(4), ModelUnavailable("the fifth")])
    with pytest.raises(ModelUnavailable, match="the fifth"):
        await bench.run()
    assert bench.sent == 5


@pytest.mark.parametrize("error", [ContextOverflow("full"), ToolError("no")])
async def test_other_errors_are_raised_at_once(error: AgentError) -> None:
    bench = Bench([error])
    with pytest.raises(type(error)):
        await bench.run()
    assert (bench.sent, bench.notices) == (1, [])


async def test_retry_after_lengthens_a_wait() -> None:
    asked = [ModelUnavailable("slow down", retry_after=after) for after in (0.2, 50, 9_999)]
    bench = Bench(list(asked))
    await bench.run()
    assert bench.waits == [1, 50, 300]


async def test_our_waits_stay_within_the_budget() -> None:
    bench = Bench(lost(9))
    with pytest.raises(ModelUnavailable):
        await bench.run(RetryPolicy(max_retries=9))
    assert bench.waits == [1, 2, 4, 8, 15]


async def test_a_cancel_is_not_held_back() -> None:
    async def cancelled() -> str:
        raise asyncio.CancelledError

    bench = Bench([])
    with pytest.raises(asyncio.CancelledError):
        await with_retries(cancelled, notify=bench.notify, sleep=bench.sleep)
    assert bench.notices == []
