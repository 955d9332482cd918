"""Reads the usage object of Chat Completions and its compatible relatives."""

from collections.abc import Mapping

from agent.messages import Usage

MOST_TOKENS = 1_000_000_000  # a larger number is a mistake, and no column takes any number


def read_usage(usage: object) -> Usage | None:
    """Tokens as reported, None when there is no usage. `prompt_tokens` is the whole prompt.

    Cached tokens are part of the prompt here; a server that reports more of them than prompt
    tokens counts them beside it, and they are added.
    """
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if prompt is None and completion is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = _count(details, "cached_tokens") if isinstance(details, Mapping) else None
    if cached is None:
        cached = _count(usage, "prompt_cache_hit_tokens")  # DeepSeek
    if prompt is not None and cached is not None and cached > prompt:
        prompt += cached
    return Usage(prompt, completion, cached)


def _count(fields: Mapping[str, object], name: str) -> int | None:
    value = fields.get(name)
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None
