"""The loop of a run: ask the model, execute its calls, again, until it answers without a call."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial

import orjson

from agent.errors import (
    AgentError,
    ContextOverflow,
    ModelOutputInvalid,
    ModelUnavailable,
    OutputBudgetOverflow,
    RoundLimitReached,
)
from agent.history import Conversation
from agent.messages import (
    Message,
    ModelResponse,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolCall,
    ToolResult,
)
from agent.phrases import Phrase
from agent.protocols import Gates, Listener, ModelClient, ToolRunner
from agent.request import SAFETY_TOKENS, ModelRequest, RequestBuilder, fits
from agent.retry import RetryPolicy, with_retries
from agent.tools.truncation import is_truncated

COUNT_IN_THREAD_CHARS = 200_000  # tokenising more than this would hold up the event loop


@dataclass(frozen=True, slots=True)
class Limits:
    """Ends of an endless run: rounds in all, and rounds in a row whose calls were cut off."""

    rounds: int = 100
    cut_rounds: int = 3


class AgentLoop:
    """One run. What it is given stays the same for the run; only the conversation grows."""

    def __init__(  # noqa: PLR0913 - the ports of a run, each named at the one place that builds it
        self,
        *,
        client: ModelClient,
        tools: ToolRunner,
        listener: Listener,
        gates: Gates,
        builder: RequestBuilder,
        conversation: Conversation,
        retry: RetryPolicy = RetryPolicy(),
        limits: Limits = Limits(),
    ) -> None:
        self.client = client
        self.tools = tools
        self.listener = listener
        self.gates = gates
        self.builder = builder
        self.conversation = conversation
        self.retry = retry
        self.limits = limits
        self._cut_rounds = 0
        self._output_share = 1.0  # of the max output; halved when prompt + output do not fit

    async def run(self) -> None:
        """Rounds until the model answers without a call; any other end is an `AgentError`."""
        self.conversation = await self.gates.at_start(self.conversation)
        for _ in range(self.limits.rounds):
            response = await self.query()
            if not response.tool_calls:
                self.conversation = await self.gates.at_finish(self.conversation)
                return
            await self.execute(response)
            self.conversation = await self.gates.after_round(self.conversation)
        raise RoundLimitReached(out_of_rounds(self.limits.rounds))

    async def query(self) -> ModelResponse:
        """One complete response, stored; a prompt that is too long gets one more try, compacted."""
        try:
            return await self._request()
        except OutputBudgetOverflow:
            self._output_share /= 2
            return await self._request()
        except ContextOverflow:
            room = await self.gates.at_overflow(self.conversation)
            if room is None:
                raise
            self.conversation = room
            return await self._request()

    async def _request(self) -> ModelResponse:
        notes = self.gates.notes(self.conversation)
        request = self.builder.build(self.conversation, notes=notes)
        if not fits(request.estimated, request.spec.window_tokens):
            raise too_long(request)
        request = replace(
            request, max_output_tokens=max(1, int(request.max_output_tokens * self._output_share))
        )
        await self.listener.request_started(request)
        started = time.monotonic()
        try:
            response = await with_retries(
                partial(self._stream, request), notify=self.listener.retrying, policy=self.retry
            )
        except AgentError as error:
            await self.listener.request_failed(error.user_message)
            raise
        message = await self._counted(assistant_message(response))
        duration_ms = round((time.monotonic() - started) * 1000)
        stored = await self.listener.response_finished(message, response, duration_ms=duration_ms)
        self.conversation.history.append(stored)
        return response

    async def execute(self, response: ModelResponse) -> None:
        """Run the calls of a response; each result is stored before it is shown."""
        for call in response.tool_calls:
            await self.listener.tool_started(call)
        if response.stop_reason == "length":
            await self._refuse_cut_calls(response.tool_calls)
            return
        self._cut_rounds = 0
        async with aclosing(self.tools.run_round(response.tool_calls)) as results:
            async for result in results:
                await self._finish(result)

    async def _stream(self, request: ModelRequest) -> ModelResponse:
        text, thinking = "", ""
        try:
            async with aclosing(self.client.stream(request)) as events:
                async for event in events:
                    if isinstance(event, ModelResponse):
                        return event
                    if isinstance(event, TextDelta):
                        text += event.text
                    elif isinstance(event, ThinkingDelta):
                        thinking += event.text
                    self.listener.delta(event)
        except asyncio.CancelledError:
            blocks = (Thinking(thinking),) if thinking else ()
            message = Message(role="assistant", content=text, thinking=blocks)
            await self.listener.response_cancelled(await self._counted(message))
            raise
        raise ModelUnavailable(Phrase("The model's stream ended without a response."))

    async def _refuse_cut_calls(self, calls: Sequence[ToolCall]) -> None:
        """Calls cut by the output limit are not run: their arguments may be only half of what was
        meant.
        """
        self._cut_rounds += 1
        text = "Not run: the output limit cut this call off. Make it smaller, or split it."
        for call in calls:
            refusal = orjson.dumps({"error": text}).decode()
            await self._finish(ToolResult(call, refusal, is_error=True))
        if self._cut_rounds >= self.limits.cut_rounds:
            raise ModelOutputInvalid(
                Phrase(
                    "The output limit cut off the model's calls in %(rounds)s rounds in a row.",
                    rounds=self._cut_rounds,
                )
            )

    async def _finish(self, result: ToolResult) -> None:
        result = replace(result, truncated=is_truncated(result.text))
        message = Message(
            role="tool",
            content=result.text,
            tool_call_id=result.call.id,
            tool_name=result.call.name,
        )
        self.conversation.history.append(
            await self.listener.tool_finished(await self._counted(message), result)
        )

    async def _counted(self, message: Message) -> Message:
        count = self.builder.estimator.message
        if len(message.content) < COUNT_IN_THREAD_CHARS:
            return replace(message, tokens=count(message))
        return replace(message, tokens=await asyncio.to_thread(count, message))


def assistant_message(response: ModelResponse) -> Message:
    """The message that a response becomes."""
    return Message(
        role="assistant",
        content=response.text,
        tool_calls=response.tool_calls,
        thinking=response.thinking,
    )


def out_of_rounds(rounds: int) -> Phrase:
    """The end of a run that used all its rounds."""
    if rounds == 1:
        return Phrase("The run was ended after 1 round without an answer.")
    return Phrase("The run was ended after %(rounds)s rounds without an answer.", rounds=rounds)


def too_long(request: ModelRequest) -> ContextOverflow:
    """The clear end of a run that outgrew its window, with the sizes."""
    window = request.spec.window_tokens
    return ContextOverflow(
        Phrase(
            "The next request needs about %(needed)s tokens and %(margin)s of margin; the window "
            "of %(model)s has %(window)s.",
            needed=f"{request.estimated:,}",
            margin=f"{SAFETY_TOKENS:,}",
            model=request.spec.name,
            window=f"{window:,}",
        ),
        limit=window,
        requested=request.estimated,
    )
