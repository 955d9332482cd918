"""Who writes the summary, and one request to it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from agent.errors import ModelUnavailable
from agent.messages import ModelResponse, ModelSpec
from agent.phrases import Phrase
from agent.protocols import ModelClient, RetryNotice
from agent.request import ModelRequest
from agent.retry import RetryPolicy, with_retries


@dataclass(frozen=True, slots=True)
class Summariser:
    """Who writes the summary: the session's model, or another with its own window."""

    client: ModelClient
    spec: ModelSpec
    max_tokens: int  # configured limit of a summary
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    async def ask(
        self, request: ModelRequest, *, notify: Callable[[RetryNotice], Awaitable[None]]
    ) -> ModelResponse:
        """The response to a request, tried again like any other. Raises an `AgentError`."""
        return await with_retries(partial(self._last, request), notify=notify, policy=self.retry)

    async def _last(self, request: ModelRequest) -> ModelResponse:
        """The response at the end of a stream that nobody watches."""
        stream = self.client.stream(request)
        try:
            async for event in stream:
                if isinstance(event, ModelResponse):
                    return event
        finally:
            await stream.aclose()
        raise ModelUnavailable(Phrase("The model's stream ended without a response."))
