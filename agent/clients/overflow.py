"""Recognises what a provider's error means, context-length errors above all.

One table, read from the top: the first pattern found in the error's words decides. The words are
HTTP status, code, type and message; what a model wrote is never searched.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.clients.provider_error import ProviderError, read_error
from agent.errors import (
    AgentError,
    ContextOverflow,
    ModelError,
    ModelOutputInvalid,
    ModelUnavailable,
    OutputBudgetOverflow,
    PayloadTooLarge,
    QuotaExceeded,
)
from agent.messages import Usage
from agent.phrases import Phrase

WINDOW_EXCEEDED = "model_context_window_exceeded"  # a stop reason of a successful answer
HALF: Final = 0.5
Sizes = Mapping[str, int | None]
Make = Callable[[ProviderError, Sizes], AgentError]


def _plain(error_type: type[ModelError]) -> Make:
    return lambda error, _sizes: error_type(error.shown, status_code=error.status)


def _sized(error_type: type[ContextOverflow]) -> Make:
    return lambda error, sizes: error_type(
        error.shown,
        status_code=error.status,
        limit=sizes["limit"],
        requested=sizes["requested"],
    )


def _unavailable(error: ProviderError, _sizes: Sizes) -> AgentError:
    return ModelUnavailable(error.shown, status_code=error.status, retry_after=error.retry_after)


@dataclass(frozen=True, slots=True)
class Rule:
    """What errors with these words become. Groups `limit` and `requested` are sizes in tokens."""

    make: Make
    pattern: re.Pattern[str]


def _rules(make: Make, *patterns: str) -> tuple[Rule, ...]:
    flags = re.IGNORECASE | re.MULTILINE
    return tuple(Rule(make, re.compile(pattern, flags)) for pattern in patterns)


N = r"(\d+)"
LIMIT, REQUESTED = r"(?P<limit>\d+)", r"(?P<requested>\d+)"

RULES = (
    *_rules(
        _plain(QuotaExceeded),
        r"insufficient_quota|exceeded your current quota|billing_hard_limit_reached",
        r"credit balance is too low|insufficient (account )?balance|^http 402$",
    ),
    # One request over a whole minute's allowance: waiting can't help, a smaller request does.
    *_rules(
        _sized(ContextOverflow),
        rf"request too large .*limit {LIMIT}, requested {REQUESTED}",
    ),
    *_rules(_unavailable, r"^http 429$|rate_limit_exceeded|^rate_limit_error$"),
    *_rules(_plain(ModelOutputInvalid), r"tool_use_failed|model did not call a tool"),
    *_rules(
        _sized(OutputBudgetOverflow),
        rf"exceed context limit: {REQUESTED} \+ {N} > {LIMIT}",
        rf"max(_completion)?_tokens.? is too large.*context length is {LIMIT} tokens and your"
        rf" request has {REQUESTED} input tokens",
    ),
    *_rules(
        _sized(ContextOverflow),
        rf"maximum context length (is|of) {LIMIT} tokens.*at least {REQUESTED} input tokens",
        rf"maximum context length (is|of) {LIMIT} tokens.*requested (a total of |about )?"
        rf"{REQUESTED} tokens",
        rf"configured limit of {LIMIT} tokens.*resulted in {REQUESTED} tokens",
        rf"maximum prompt length is {LIMIT} but the request contains {REQUESTED} tokens",
        rf"input token count \({REQUESTED}\) exceeds the maximum number of tokens allowed"
        rf" \({LIMIT}\)",
        rf"request \({REQUESTED} tokens\) exceeds the available context size \({LIMIT} tokens\)",
        rf"input \({REQUESTED} tokens\) is longer than the model's context length \({LIMIT}",
        rf"prompt is too long: {REQUESTED} tokens > {LIMIT}",
        rf"prompt token count of {REQUESTED} exceeds the limit of {LIMIT}",
        rf"exceeded model token limit: {LIMIT}",
        rf"range of input length should be \[\d+, {LIMIT}\]",
        r"context_length_exceeded|exceed_context_size|ContextWindowExceeded",
        r"maximum context length|exceeded max context length|exceeds the context window",
        r"context size has been exceeded|context window (is full|exceeds limit)",
        r"greater than the context length|exceeds the available context size",
        r"input is too long for requested model|prompt (is )?too long|prompt exceeds max length",
    ),
    *_rules(
        _plain(PayloadTooLarge),
        r"request_too_large|exceeds the maximum size|(entity|payload|body) too large",
        r"(string|array)_above_max_length",
        r"^http 413$",  # one without any explanation: see _unexplained
    ),
    *_rules(
        _unavailable,
        r"^http (408|409|425|5\d\d)$|overloaded|server_error",
        r"(service|temporarily)[ _]unavailable",
    ),
)


def classify(
    status: int | None,
    body: object,
    headers: Mapping[str, str] | None = None,
    *,
    occupancy: float | None = None,
) -> AgentError:
    """The error that this answer of a provider is.

    `status` is None for an error inside a stream, `body` parsed JSON or text. `occupancy` (our
    estimate / window) decides where a 400 or 413 says nothing at all: below a half it can't be the
    window.
    """
    error = read_error(status, body, headers)
    if status in {400, 413} and not (error.message or error.code or error.type):
        return _unexplained(error, occupancy)
    for rule in RULES:
        if match := rule.pattern.search(error.words):
            return rule.make(error, _sizes(error, match))
    if error.status is None and not error.type.startswith("invalid_request"):
        return _unavailable(error, {})  # the stream broke for a reason we don't know
    return _plain(ModelError)(error, {})


def error_in_success(body: object) -> AgentError | None:
    """The error in an answer or stream event that came with HTTP 200, None when there is none."""
    if not isinstance(body, Mapping):
        return None
    failed = "error" in (body.get("type"), body.get("object")) or body.get("error")
    if failed or body.get("type") == "response.failed":
        return classify(None, body)
    if WINDOW_EXCEEDED in _stop_reasons(body):
        return ContextOverflow(
            Phrase("the model's window is full (%(reason)s)", reason=WINDOW_EXCEEDED)
        )
    return None


def is_silent_overflow(usage: Usage, window: int | None) -> bool:
    """Whether a successful answer was given to a prompt that is larger than the window (tokens)."""
    return window is not None and (usage.prompt_tokens or 0) > window


def is_silent_truncation(usage: Usage, estimated: int) -> bool:
    """Whether the server saw less than half of the prompt that we estimate, so it dropped input."""
    return usage.prompt_tokens is not None and 0 < usage.prompt_tokens < estimated * HALF


def _unexplained(error: ProviderError, occupancy: float | None) -> AgentError:
    if occupancy is None or occupancy >= HALF:
        return _sized(ContextOverflow)(error, {"limit": None, "requested": None})
    return _plain(PayloadTooLarge if error.status == 413 else ModelError)(error, {})


def _sizes(error: ProviderError, match: re.Match[str]) -> Sizes:
    found = match.groupdict()
    limit, requested = found.get("limit"), found.get("requested")
    return {
        "limit": int(limit) if limit else error.limit,
        "requested": int(requested) if requested else error.requested,
    }


def _stop_reasons(body: Mapping[str, Any]) -> set[object]:
    choices = body.get("choices")
    reasons = {
        choice.get("finish_reason")
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, Mapping)
    }
    return reasons | {body.get("stop_reason")}
