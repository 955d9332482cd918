"""What is known of models by their id."""

import pytest

from agent.clients.known_models import KNOWN_MODELS, known_model
from agent.tokens import VOCABULARIES


@pytest.mark.parametrize(
    ("model_id", "known_as"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-4.1-nano", "gpt-4.1"),
        ("gpt-5.1", "gpt-5"),
        ("gpt-5-chat-latest", "gpt-5-chat"),
        ("o3-mini", "o3-mini"),
        ("openai/o4-mini", "o4-mini"),
        ("deepseek/deepseek-chat", "deepseek"),
        ("Qwen/Qwen3-Coder-480B", "qwen3-coder"),
        ("qwen3:8b", "qwen3"),
        ("claude-sonnet-4-5", "claude-sonnet-4"),
        ("claude-9-new", "claude"),
    ],
)
def test_the_longest_name_wins(model_id: str, known_as: str) -> None:
    assert known_model(model_id) == KNOWN_MODELS[known_as]


@pytest.mark.parametrize("model_id", ["", "gpt-40", "o365-copilot", "my-gpt-4o"])
def test_an_unknown_id_is_unknown(model_id: str) -> None:
    assert known_model(model_id) is None


def test_sizes_make_sense() -> None:
    for known in KNOWN_MODELS.values():
        assert 0 < known.max_output_tokens < known.window_tokens
        assert known.tokenizer in VOCABULARIES
        assert 0.5 < known.calibration < 2
