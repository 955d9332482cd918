"""What is known of well-known models, by the beginning of their id; a model row may say otherwise.

Windows and output limits are those that the providers publish, in tokens. For the gpt-5 family the
window is its input limit of 272,000 (the published 400,000 include the output), since that is what
a prompt must fit into. `calibration` is measured / estimated with `tokenizer`: a first value for
vocabularies that are not public, to be replaced by what usage reports.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownModel:
    """Sizes in tokens, tokenizer a tiktoken vocabulary; see `agent.messages.ModelSpec`."""

    window_tokens: int
    max_output_tokens: int
    vision: bool = False
    tokenizer: str = "o200k_base"
    calibration: float = 1.0


_CLAUDE = 1.2  # Anthropic's vocabularies make more tokens of the same text
_OTHER = 1.1  # open vocabularies of 100,000 to 150,000 entries, on mixed text and code

KNOWN_MODELS = {
    "rehearsal": KnownModel(16_000, 2_000),
    "gpt-3.5-turbo": KnownModel(16_385, 4_096, tokenizer="cl100k_base"),
    "gpt-4": KnownModel(8_192, 4_096, tokenizer="cl100k_base"),
    "gpt-4-32k": KnownModel(32_768, 4_096, tokenizer="cl100k_base"),
    "gpt-4-turbo": KnownModel(128_000, 4_096, vision=True, tokenizer="cl100k_base"),
    "gpt-4o": KnownModel(128_000, 16_384, vision=True),
    "gpt-4.1": KnownModel(1_047_576, 32_768, vision=True),
    "gpt-5": KnownModel(272_000, 128_000, vision=True),
    "gpt-5-chat": KnownModel(128_000, 16_384, vision=True),
    "gpt-oss": KnownModel(131_072, 32_768),
    "o1": KnownModel(200_000, 100_000, vision=True),
    "o1-mini": KnownModel(128_000, 65_536),
    "o3": KnownModel(200_000, 100_000, vision=True),
    "o3-mini": KnownModel(200_000, 100_000),
    "o4-mini": KnownModel(200_000, 100_000, vision=True),
    "claude": KnownModel(200_000, 32_000, vision=True, calibration=_CLAUDE),
    "claude-3": KnownModel(200_000, 4_096, vision=True, calibration=_CLAUDE),
    "claude-3-5": KnownModel(200_000, 8_192, vision=True, calibration=_CLAUDE),
    "claude-3-7": KnownModel(200_000, 64_000, vision=True, calibration=_CLAUDE),
    "claude-sonnet-4": KnownModel(200_000, 64_000, vision=True, calibration=_CLAUDE),
    "claude-haiku-4": KnownModel(200_000, 64_000, vision=True, calibration=_CLAUDE),
    "deepseek": KnownModel(131_072, 8_192, calibration=_OTHER),
    "deepseek-reasoner": KnownModel(131_072, 65_536, calibration=_OTHER),
    "qwen3": KnownModel(131_072, 16_384, calibration=_OTHER),
    "qwen3-coder": KnownModel(262_144, 65_536, calibration=_OTHER),
    "qwen3-max": KnownModel(262_144, 65_536, calibration=_OTHER),
    "qwen3-vl": KnownModel(262_144, 32_768, vision=True, calibration=_OTHER),
    "gemini-2": KnownModel(1_048_576, 8_192, vision=True, calibration=_OTHER),
    "gemini-2.5": KnownModel(1_048_576, 65_536, vision=True, calibration=_OTHER),
    "glm-4": KnownModel(131_072, 16_384, calibration=_OTHER),
    "kimi-k2": KnownModel(131_072, 16_384, calibration=_OTHER),
    "llama-3.1": KnownModel(131_072, 8_192, calibration=_OTHER),
    "llama-3.3": KnownModel(131_072, 8_192, calibration=_OTHER),
    "mistral-large": KnownModel(131_072, 8_192, calibration=_OTHER),
}


def known_model(model_id: str) -> KnownModel | None:
    """What is known of this id (`provider/` before it is ignored), None for an unknown one.

    A known name counts when the id is that name or goes on with `-`, `.`, `:`, `_` or `@`
    after it; the longest one wins, so that gpt-4o is no gpt-4.
    """
    name = model_id.rsplit("/", 1)[-1].lower()
    fitting = [
        prefix
        for prefix in KNOWN_MODELS
        if name == prefix or (name.startswith(prefix) and name[len(prefix)] in "-.:_@")
    ]
    return KNOWN_MODELS[max(fitting, key=len)] if fitting else None
