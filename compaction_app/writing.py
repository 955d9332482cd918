"""The summary of one compaction: by a model (asked, checked, corrected once, completed with the
user's words) or, without one, as an extract.

The block that a model writes has at most the limit. What is stored may have half more: that is for
words of the user that the model left out.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from agent.errors import AgentError, ModelOutputInvalid
from agent.history import Conversation
from agent.messages import ModelResponse, Usage
from agent.phrases import Phrase
from agent.prompt.templates import render
from agent.protocols import RetryNotice
from agent.request import ModelRequest, RequestBuilder, fits
from compaction_app import handoff
from compaction_app.extract import extract
from compaction_app.policy import summary_limit
from compaction_app.ranges import Cut
from compaction_app.summariser import Summariser

NOT_REPORTED = Usage()
CARRIED_SHARE = 2  # what a summary left out of the user's words gets half of its limit


class RequestRecords(Protocol):
    """Where summary requests are kept; upstairs it is the request log."""

    async def summary_requested(self, request: ModelRequest) -> int:
        """A summary request is about to be sent; returns its id in the request log."""
        ...

    async def summary_answered(
        self, request_id: int, response: ModelResponse | None, *, error: str, duration_ms: int
    ) -> None:
        """It was answered, or failed."""
        ...

    async def retrying(self, notice: RetryNotice) -> None:
        """The summary request is tried again."""
        ...


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes summaries; `builder` is that of the session's model, whoever the summariser is."""

    builder: RequestBuilder
    summariser: Summariser
    records: RequestRecords
    language: str
    say: Callable[[str], str]

    @property
    def limit(self) -> int:
        """Most tokens of what a model writes, and of an extract."""
        windows = self.builder.spec.window_tokens, self.summariser.spec.window_tokens
        return summary_limit(self.summariser.max_tokens, *windows)

    def extract(self, conversation: Conversation, cut: Cut) -> str:
        """The summary without a model."""
        return extract(
            conversation.history.messages()[: cut.messages],
            previous=conversation.summary,
            language=self.language,
            limit=self.limit,
            count=self.builder.estimator.text,
        )

    async def write(
        self, conversation: Conversation, cut: Cut, *, focus: str, reason: str
    ) -> tuple[str, Usage]:
        """The model's summary; empty when the request would not fit and so is not sent.

        Raises an `AgentError`.
        """
        limit, count = self.limit, self.builder.estimator.text
        ask = handoff.instruction(self.language, limit=limit, focus=focus, reason=reason)
        request = self.builder.build_summary(
            conversation, ask, messages=cut.messages, tokens=cut.tokens, limit=limit
        )
        request = replace(request, spec=self.summariser.spec)
        if not fits(request.estimated + limit, self.summariser.spec.window_tokens):
            return "", NOT_REPORTED
        response = await self._ask(request)
        try:
            summary = self._checked(response)
        except ModelOutputInvalid as problem:
            wrong = self.say(problem.user_message)
            again = handoff.correction(self.language, problem=wrong, instruction=ask)
            response = await self._ask(self.builder.instructed(request, again))
            summary = self._checked(response)
        faithful = handoff.faithful(
            summary,
            previous=conversation.summary,
            said=[m.content for m in request.messages if m.role == "user"],
            language=self.language,
            room=self._room(summary),
            count=count,
        )
        return faithful, response.usage

    async def _ask(self, request: ModelRequest) -> ModelResponse:
        """One summary request, tried again like any other; its usage is the session's never."""
        request_id = await self.records.summary_requested(request)
        started, response, error = time.monotonic(), None, ""
        try:
            response = await self.summariser.ask(request, notify=self.records.retrying)
        except AgentError as problem:
            error = self.say(problem.user_message)
            raise
        finally:
            await self.records.summary_answered(
                request_id, response, error=error, duration_ms=milliseconds_since(started)
            )
        return response

    def _checked(self, response: ModelResponse) -> str:
        """The summary of a valid reply.

        Another tokenizer may count fewer tokens than ours: what has kept the limit by the
        provider's own count may have half more by ours.
        """
        summary = handoff.parse(response)
        limit, own = self.limit, response.usage.completion_tokens
        tokens = self.builder.estimator.text(summary)
        if tokens > (most_stored(limit) if own and own <= limit else limit):
            raise ModelOutputInvalid(
                Phrase(
                    "it has about %(tokens)s tokens, at most %(limit)s are allowed",
                    tokens=f"{tokens:,}",
                    limit=f"{limit:,}",
                )
            )
        return summary

    def _room(self, summary: str) -> int:
        """Tokens for what is carried on, its heading not counted."""
        count = self.builder.estimator.text
        heading = render(self.language, "handoff_carried", quotes="")
        left = most_stored(self.limit) - count(summary)
        return min(left, self.limit // CARRIED_SHARE) - count(f"\n\n{heading}")


def most_stored(limit: int) -> int:
    """Most tokens of a stored summary whose writer had this limit."""
    return limit + limit // CARRIED_SHARE


def milliseconds_since(started: float) -> int:
    """Since this time of the monotonic clock."""
    return round((time.monotonic() - started) * 1000)
