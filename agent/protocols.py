"""Every port of the core on one page. The apps upstairs and the tests bring the implementations."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from agent.history import Conversation
from agent.messages import (
    Message,
    ModelResponse,
    StreamEvent,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from agent.request import ModelRequest


class ModelClient(Protocol):
    """An adapter to one provider's wire format."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Send the request; yield deltas as they come and a complete `ModelResponse` as the last
        item.

        Raises an `AgentError` for everything the provider can do wrong. Closing the iterator closes
        the connection.
        """
        ...


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool hands back: a JSON object, and which of its keys holds the long text that may be
    cut.

    `data["truncated"] is True` says that the tool cut it already; then `full_output` is the uncut
    text and `data["resume"]` tells the model how to get the rest. `resume(n)` is that hint for a
    body of which only the first n characters are kept, should it be cut (further).
    """

    data: Mapping[str, Any]
    body_key: str = ""
    full_output: str | None = None
    resume: Callable[[int], str] | None = None
    is_error: bool = False  # the call was not done, and `data` says why


class Tool(Protocol):
    """Something the model can call."""

    @property
    def definition(self) -> ToolDefinition:
        """Name, description and argument schema; fixed for a run."""
        ...

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Do it. Raises `ToolError` with a text for the model; never blocks the event loop."""
        ...


@runtime_checkable
class AnswersBadArguments(Protocol):
    """A tool that wants to answer arguments that are no JSON object itself, in the form of its
    results; of others the executor makes an error result.
    """

    async def refuse(self, problem: str) -> ToolOutcome:
        """The answer; `problem` says what was sent and what is expected."""
        ...


class ToolRunner(Protocol):
    """Executes the calls of one round; `agent.tools.executor.ToolExecutor` is the real one."""

    @property
    def definitions(self) -> Sequence[ToolDefinition]:
        """The tools offered in this run, in a fixed order."""
        ...

    def run_round(self, calls: Sequence[ToolCall]) -> AsyncGenerator[ToolResult, None]:
        """Run all calls of a round, side by side where that is safe; yield results in the order of
        the calls.

        Never raises for what a tool does: a failure is a result with `is_error`.
        """
        ...


@dataclass(frozen=True, slots=True)
class RetryNotice:
    """A failed model request that will be sent again after `delay_seconds`."""

    reason: str
    status_code: int | None
    attempt: int
    max_retries: int
    delay_seconds: float


class Gates(Protocol):
    """Asked at the boundaries of a run to make room; returns the conversation to go on with."""

    async def at_start(self, conversation: Conversation) -> Conversation:
        """The context is built, no request has been sent."""
        ...

    async def after_round(self, conversation: Conversation) -> Conversation:
        """A tool round is stored; the next request comes."""
        ...

    def notes(self, conversation: Conversation) -> str:
        """The notes of the next request, wrapped; asked once for each, empty without any."""
        ...

    async def at_finish(self, conversation: Conversation) -> Conversation:
        """The model answered without a call; the run is about to end."""
        ...

    async def at_overflow(self, conversation: Conversation) -> Conversation | None:
        """The provider says that the prompt is too long; None: nothing can be done about it."""
        ...


class Listener(Protocol):
    """Is told everything that happens in a run, in order.

    What it is told is stored, and shown, when the call returns. Deltas are shown but not stored.
    """

    async def request_started(self, request: ModelRequest) -> int:
        """A request is about to be sent: log it and push its manifest. Returns the log row's id."""
        ...

    def delta(self, event: StreamEvent) -> None:
        """A piece of text or thinking arrived. Must not block."""
        ...

    async def retrying(self, notice: RetryNotice) -> None:
        """The stream failed and will be tried again; what was streamed of it is void."""
        ...

    async def response_finished(
        self, message: Message, response: ModelResponse, *, duration_ms: int
    ) -> Message:
        """The response is complete: store its message, return it with its id."""
        ...

    async def response_cancelled(self, message: Message) -> None:
        """The run was stopped in mid-stream: keep what was streamed, marked; it may be blank."""
        ...

    async def context_checked(self, request: ModelRequest) -> None:
        """The context has grown since the last request: show what the next one would be."""
        ...

    async def request_failed(self, reason: str) -> None:
        """The request ended without a response."""
        ...

    async def tool_started(self, call: ToolCall) -> None:
        """A tool is about to run; its assistant message is stored already."""
        ...

    async def tool_finished(self, message: Message, result: ToolResult) -> Message:
        """Store the result's message, then show it; returns it with its id."""
        ...

    async def notice(self, code: str, message: str) -> None:
        """Something a person should know that ends nothing."""
        ...
