"""What is tried again, and how long is waited.

A policy of our own instead of stamina's: its time limit counts the attempts themselves (a request
that passed its first-token deadline of 300 s would never be tried again), its hooks are synchronous
and `Attempt.next_wait` knows nothing of `Retry-After`, but the page must be told the exact delay
before each wait.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from agent.errors import AgentError, ModelError, ModelUnavailable
from agent.protocols import RetryNotice

Answer = TypeVar("Answer")
Notify = Callable[[RetryNotice], Awaitable[None]]
Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits of `first_delay`, doubled each time, within `budget` in sum; all in seconds.

    `Retry-After` lengthens a wait up to `longest_retry_after` and is no part of the budget.
    """

    max_retries: int = 4
    first_delay: float = 1.0
    budget: float = 30.0
    longest_retry_after: float = 300.0

    def backoff(self, attempt: int) -> float:
        """Our own wait before retry number `attempt` (from 1); 0 once the budget is spent."""
        doubled = self.first_delay * 2.0 ** (attempt - 1)
        spent = doubled - self.first_delay  # the sum of the waits before this one
        return max(0.0, min(doubled, self.budget - spent))

    def delay(self, error: AgentError, attempt: int) -> float | None:
        """Seconds to wait before retry number `attempt` (from 1), None when there is none."""
        backoff = self.backoff(attempt)
        if not error.retryable or attempt > self.max_retries or backoff <= 0:
            return None
        asked = error.retry_after if isinstance(error, ModelUnavailable) else None
        return max(backoff, min(asked or 0.0, self.longest_retry_after))


async def with_retries(
    send: Callable[[], Awaitable[Answer]],
    *,
    notify: Notify,
    policy: RetryPolicy = RetryPolicy(),
    sleep: Sleep = asyncio.sleep,
) -> Answer:
    """What `send()` returns, called again after each error that is worth it.

    `notify` (a listener's `retrying`) is awaited before each wait. The last error is raised when
    it is not retryable or the policy is used up; a cancel is never held back.
    """
    attempt = 1
    while True:
        try:
            return await send()
        except AgentError as error:
            delay = policy.delay(error, attempt)
            if delay is None:
                raise
            notice = _notice(error, attempt, policy.max_retries, delay)
        await notify(notice)
        await sleep(delay)
        attempt += 1


def _notice(error: AgentError, attempt: int, max_retries: int, delay: float) -> RetryNotice:
    return RetryNotice(
        reason=error.user_message,
        status_code=error.status_code if isinstance(error, ModelError) else None,
        attempt=attempt,
        max_retries=max_retries,
        delay_seconds=delay,
    )
