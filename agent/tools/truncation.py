"""Cutting results: what a cut one looks like, and how to tell."""

from dataclasses import replace

import orjson

from agent.protocols import ToolOutcome

MAX_PARSED_CHARS = 4_000_000  # several times the longest result of any tool
REST = "ask for a smaller part, or repeat this call alone"


def is_truncated(result_text: str) -> bool:
    """Whether a stored result says that it was cut: a JSON object with top-level `truncated` true.

    Anything else is False, silently: no JSON, no object, another value, deeper than the parser's
    limit, longer than `MAX_PARSED_CHARS`.
    """
    if len(result_text) > MAX_PARSED_CHARS:
        return False
    try:
        result = orjson.loads(result_text)
    except (
        orjson.JSONDecodeError
    ):  # also for nesting over its limit: it does not recurse without bound
        return False
    return isinstance(result, dict) and result.get("truncated") is True


def cut(outcome: ToolOutcome, limit: int) -> ToolOutcome:
    """The outcome with at most the first `limit` characters (code points) of its body.

    What is cut gets the keys `truncated`, `original_characters` and `resume` beside the body; they
    don't count as output, and the body itself gets no marker. Cutting again keeps the first
    original size and text. An outcome whose body is no text is returned as it is.
    """
    body = outcome.data.get(outcome.body_key)
    if not isinstance(body, str) or len(body) <= limit:
        return outcome
    full = body if outcome.full_output is None else outcome.full_output
    original = outcome.data.get("original_characters", len(full))
    data = {
        **outcome.data,
        outcome.body_key: body[:limit],
        "truncated": True,
        "original_characters": original if outcome.data.get("truncated") is True else len(full),
        "resume": outcome.resume(limit) if outcome.resume else REST,
    }
    return replace(outcome, data=data, full_output=full)


def incomplete(outcome: ToolOutcome, full_output: str, resume: str) -> ToolOutcome:
    """The outcome marked as cut, for a tool that stopped before it had everything."""
    if outcome.data.get("truncated") is True:
        return outcome
    data = {**outcome.data, "truncated": True, "resume": resume}
    return replace(outcome, data=data, full_output=full_output)
