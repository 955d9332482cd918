"""Usage as Chat Completions servers report it."""

from typing import Any

import pytest

from agent.clients.openai_usage import read_usage
from agent.messages import Usage


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 3}, Usage(7, 3)),
        ({"prompt_tokens": 0}, Usage(0)),
        (
            {"prompt_tokens": 90_012, "prompt_tokens_details": {"cached_tokens": 90_000}},
            Usage(90_012, None, 90_000),
        ),
        (
            {"prompt_tokens": 12, "prompt_tokens_details": {"cached_tokens": 90_000}},
            Usage(90_012, None, 90_000),
        ),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, Usage(9, None, 4)),
        ({"completion_tokens": 3, "prompt_cache_hit_tokens": 4}, Usage(None, 3, 4)),
        ({"prompt_tokens": 9, "prompt_tokens_details": None}, Usage(9)),
        ({"prompt_tokens": "9", "completion_tokens": -1}, None),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": 10**25, "completion_tokens": 3}, Usage(None, 3)),
        ({}, None),
        (None, None),
        ([7], None),
    ],
)
def test_usage_is_read(reported: Any, usage: Usage | None) -> None:
    assert read_usage(reported) == usage
