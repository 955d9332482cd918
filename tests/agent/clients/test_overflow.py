"""Every known error of every provider leads to its class; decoys lead nowhere."""

from typing import Any

import pytest

from agent.clients.overflow import (
    classify,
    error_in_success,
    is_silent_overflow,
    is_silent_truncation,
)
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
from tests.shared_cases import needs_shared_cases, shared_case

CASES = (shared_case("provider_errors.json") or {"errors": []})["errors"]
SUCCESSES = {"silent_truncation", "silent_overflow", "none"}
ERRORS: dict[str, type[AgentError]] = {
    "context_overflow": ContextOverflow,
    "per_request_token_cap": ContextOverflow,
    "output_budget_overflow": OutputBudgetOverflow,
    "payload_too_large": PayloadTooLarge,
    "rate_limit": ModelUnavailable,
    "overloaded": ModelUnavailable,
    "quota": QuotaExceeded,
    "other_bad_request": ModelError,
    "model_output_invalid": ModelOutputInvalid,
}


def ids(case: Any) -> str:
    return str(case["id"])


def error_of(case: Any) -> AgentError | None:
    if case["channel"] == "http":
        return classify(case["http_status"], case["body"], case.get("headers"))
    return error_in_success(case["body"])


@needs_shared_cases
def test_there_are_cases_of_every_class() -> None:
    assert {case["expected_class"] for case in CASES} == {*ERRORS, *SUCCESSES}


@needs_shared_cases
@pytest.mark.parametrize("case", [c for c in CASES if c["expected_class"] in ERRORS], ids=ids)
def test_an_error_is_recognised(case: Any) -> None:
    error = error_of(case)
    assert type(error) is ERRORS[case["expected_class"]]
    if isinstance(error, ContextOverflow):
        assert {"limit": error.limit, "requested": error.requested} == case["extract"]
    if seconds := case.get("headers", {}).get("retry-after"):
        assert isinstance(error, ModelUnavailable)
        assert error.retry_after == float(seconds)


@needs_shared_cases
@pytest.mark.parametrize("case", [c for c in CASES if c["expected_class"] in SUCCESSES], ids=ids)
def test_a_success_is_no_error_but_may_be_silently_wrong(case: Any) -> None:
    assert error_of(case) is None
    assert not isinstance(classify(200, case["body"]), ContextOverflow)
    usage = Usage(prompt_tokens=case["body"]["usage"]["prompt_tokens"])
    assert is_silent_overflow(usage, 200_000) is (case["expected_class"] == "silent_overflow")
    assert is_silent_truncation(usage, 21_000) is (usage.prompt_tokens in {4096, 900})


@pytest.mark.parametrize(
    ("message", "limit", "requested"),
    [
        ("prompt is too long: 215000 tokens > 200000 maximum", 200_000, 215_000),
        ("prompt token count of 70000 exceeds the limit of 64000", 64_000, 70_000),
        ("Your request exceeded model token limit: 131072", 131_072, None),
        ("Range of input length should be [1, 98304]", 98_304, None),
        ("The input (5000 tokens) is longer than the model's context length (4096", 4_096, 5_000),
        ("Requested token count exceeds the model's maximum context length of 4096 tokens. You"
         " requested a total of 5000 tokens: 1 in the messages", 4_096, 5_000),
    ],
)  # fmt: skip
def test_sizes_are_read(message: str, limit: int, requested: int | None) -> None:
    error = classify(400, {"error": {"message": message}})
    assert isinstance(error, ContextOverflow)
    assert (error.limit, error.requested, error.status_code) == (limit, requested, 400)


def test_too_much_output_is_told_apart() -> None:
    message = (
        "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context"
        " length is 4096 tokens and your request has 1000 input tokens"
    )
    error = classify(400, {"message": message})
    assert isinstance(error, OutputBudgetOverflow)
    assert (error.limit, error.requested) == (4_096, 1_000)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (402, {}, QuotaExceeded),
        (413, {"error": {"message": "Entity"}}, PayloadTooLarge),
        (400, {"error": {"code": "string_above_max_length"}}, PayloadTooLarge),
        (429, "", ModelUnavailable),
        (503, "", ModelUnavailable),
        (408, "", ModelUnavailable),
        (404, {"error": {"message": "no such model"}}, ModelError),
        (401, "", ModelError),
        (None, {"error": {"message": "boom"}}, ModelUnavailable),
        (None, {"error": {"message": "bad", "type": "invalid_request_error"}}, ModelError),
        (None, {"error": {"message": "bad", "code": 400}}, ModelError),
    ],
)
def test_the_status_decides_the_rest(
    status: int | None, body: Any, expected: type[AgentError]
) -> None:
    assert type(classify(status, body)) is expected


@pytest.mark.parametrize(
    ("status", "occupancy", "expected"),
    [
        (413, None, ContextOverflow),
        (413, 0.6, ContextOverflow),
        (413, 0.3, PayloadTooLarge),
        (400, 0.6, ContextOverflow),
        (400, 0.3, ModelError),
    ],
)
def test_our_own_estimate_decides_where_nothing_is_said(
    status: int, occupancy: float | None, expected: type[AgentError]
) -> None:
    assert type(classify(status, "", occupancy=occupancy)) is expected


def test_what_the_model_wrote_is_no_sign() -> None:
    body = {"error": {"message": "no call", "failed_generation": "context_length_exceeded"}}
    assert type(classify(400, body)) is ModelError


def test_only_objects_hold_errors() -> None:
    assert error_in_success([{"error": {"message": "x"}}]) is None
    assert error_in_success({"choices": "odd", "error": None}) is None
    assert isinstance(error_in_success({"object": "error", "message": "x"}), ModelUnavailable)


def test_an_unknown_window_or_usage_is_never_silent() -> None:
    assert not is_silent_overflow(Usage(prompt_tokens=999_999), None)
    assert not is_silent_overflow(Usage(), 1_000)
    assert not is_silent_truncation(Usage(), 1_000)
    assert not is_silent_truncation(Usage(prompt_tokens=0), 1_000)
