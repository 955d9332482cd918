import pytest
from pytest_django import Settings

from agent.errors import ConfigurationError
from agent.messages import ModelSpec
from sessions_app.models import ModelProfile
from sessions_app.services.models import ResolvedModel, resolve, usable, window_tokens


@pytest.fixture
def openai(db: None) -> ModelProfile:
    return ModelProfile.objects.get(name="openai")


def test_it_fills_the_environments_model(
    openai: ModelProfile, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    settings.OPENAI_MODEL = "gpt-3.5-turbo"
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9000/v1"
    spec = ModelSpec("openai", "gpt-3.5-turbo", 16_385, 4_096, tokenizer="cl100k_base")
    assert resolve(openai) == ResolvedModel(spec, "openai", "http://127.0.0.1:9000/v1", "sk-1")


def test_it_never_shows_the_key(openai: ModelProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert "sk-1" not in repr(resolve(openai))


def test_it_keeps_what_the_row_says(openai: ModelProfile, settings: Settings) -> None:
    openai.base_url = "http://127.0.0.1:1/v1"
    openai.model_id, openai.max_output_tokens, openai.window_tokens = "gpt-4", 1_000, 9_000
    spec = resolve(openai).spec
    assert (spec.model_id, spec.max_output_tokens, spec.window_tokens) == ("gpt-4", 1_000, 9_000)


def test_it_names_the_variable_of_a_missing_key(openai: ModelProfile) -> None:
    assert not usable(openai)
    with pytest.raises(ConfigurationError, match="set the environment variable OPENAI_API_KEY"):
        resolve(openai)


def test_it_needs_no_key_for_the_rehearsal_model(model: ModelProfile) -> None:
    assert resolve(model).api_key == ""


def test_it_offers_no_provider_without_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEW_KEY", "x")
    assert not usable(ModelProfile(provider="mistral", key_variable="NEW_KEY"))


@pytest.mark.parametrize(
    ("row", "environment", "model_id", "fallback", "window"),
    [
        (5_000, 6_000, "gpt-4", 7_000, 5_000),
        (None, 6_000, "gpt-4", 7_000, 6_000),
        (None, None, "gpt-4", 7_000, 8_192),
        (None, None, "nobody-knows", 7_000, 7_000),
        (None, None, "nobody-knows", 0, None),
    ],
)
def test_it_looks_for_the_window_in_this_order(
    settings: Settings,
    row: int | None,
    environment: int | None,
    model_id: str,
    fallback: int,
    window: int | None,
) -> None:
    settings.MODEL_WINDOW_TOKENS = environment
    settings.COMPACTION_WINDOW_TOKENS = fallback
    profile = ModelProfile(provider="openai", model_id=model_id, window_tokens=row)
    profile.from_environment = True
    assert window_tokens(profile) == window


def test_it_gives_the_environments_window_to_no_other_model(settings: Settings) -> None:
    settings.MODEL_WINDOW_TOKENS = 6_000
    assert window_tokens(ModelProfile(provider="openai", model_id="gpt-4")) == 8_192
