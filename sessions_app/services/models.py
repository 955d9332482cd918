"""From a model's row to what a client needs; what the environment knows is filled in here."""

import importlib.util
import os
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction

from agent.clients.known_models import known_model
from agent.errors import ConfigurationError
from agent.messages import ModelSpec
from agent.phrases import Phrase
from sessions_app.models import ModelProfile

Provider = ModelProfile.Provider
DEFAULTS = ModelProfile()


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model ready to be called. `base_url` empty = the provider's own; the key never shows in a
    repr.
    """

    spec: ModelSpec
    provider: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)


def save(*, profile: ModelProfile) -> None:
    """Store the row; one that is the default takes that from the row that was."""
    with transaction.atomic():
        if profile.default:
            ModelProfile.objects.exclude(pk=profile.pk).update(default=False)
        profile.save()


def usable(profile: ModelProfile) -> bool:
    """Whether the model can be called: its client exists, its key is set or its server named."""
    if profile.provider == Provider.REHEARSAL:
        return True
    if importlib.util.find_spec(f"agent.clients.{profile.provider}") is None:
        return False
    return bool(_api_key(profile) or base_url(profile))


def resolve(profile: ModelProfile) -> ResolvedModel:
    """What a client needs to call the model.

    Raises ConfigurationError, naming the variable, when neither a key nor a server is known.
    """
    if profile.provider != Provider.REHEARSAL and not (_api_key(profile) or base_url(profile)):
        raise ConfigurationError(_no_key(profile))
    return ResolvedModel(spec(profile), profile.provider, base_url(profile), _api_key(profile))


def _no_key(profile: ModelProfile) -> Phrase:
    if not profile.key_variable:
        return Phrase(
            "The model %(model)s has no key, and its row names no environment variable for one.",
            model=repr(profile.name),
        )
    return Phrase(
        "The model %(model)s has no key: set the environment variable %(variable)s.",
        model=repr(profile.name),
        variable=profile.key_variable,
    )


def spec(profile: ModelProfile) -> ModelSpec:
    """The model as requests are built for it. The environment's model takes what its row leaves at
    the default from the table of known models.
    """
    known = known_model(model_id(profile)) if profile.from_environment else None

    def value(name: str) -> Any:
        own = getattr(profile, name)
        unchanged = own == getattr(DEFAULTS, name)
        return getattr(known, name) if known and unchanged else own

    return ModelSpec(
        name=profile.name,
        model_id=model_id(profile),
        window_tokens=window_tokens(profile),
        max_output_tokens=value("max_output_tokens"),
        tokenizer=value("tokenizer"),
        calibration=value("calibration"),
        notes_role=_notes_role(profile),  # type: ignore[arg-type]  # its choices are the core's
        vision=value("vision"),
    )


def model_id(profile: ModelProfile) -> str:
    """The provider's name of the model: the row's, else the environment's."""
    configured = {
        Provider.OPENAI: settings.OPENAI_MODEL,
        Provider.ANTHROPIC: settings.ANTHROPIC_MODEL,
    }
    return profile.model_id or str(_from_environment(profile, configured))


def base_url(profile: ModelProfile) -> str:
    """Where the model is: the row's URL, else the environment's; empty = the provider's own."""
    configured = {
        Provider.OPENAI: settings.OPENAI_BASE_URL,
        Provider.ANTHROPIC: settings.ANTHROPIC_BASE_URL,
    }
    return profile.base_url or str(_from_environment(profile, configured))


def window_tokens(profile: ModelProfile) -> int | None:
    """The model's window, None if unknown.

    The row's, else MODEL_WINDOW_TOKENS for the environment's model, else the known one, else
    COMPACTION_WINDOW_TOKENS.
    """
    built_in = profile.provider == Provider.REHEARSAL
    from_environment = profile.from_environment or built_in
    configured = settings.MODEL_WINDOW_TOKENS if from_environment else None
    known = known_model(model_id(profile))
    return (
        profile.window_tokens
        or configured
        or (known.window_tokens if known else None)
        or settings.COMPACTION_WINDOW_TOKENS
        or None
    )


def _notes_role(profile: ModelProfile) -> str:
    """OpenAI's own API takes `developer`; what its row names holds for every other server."""
    if profile.provider == Provider.OPENAI and not base_url(profile):
        return ModelProfile.NotesRole.DEVELOPER
    return profile.notes_role


def _from_environment(profile: ModelProfile, configured: dict[Provider, str]) -> str:
    return configured.get(Provider(profile.provider), "") if profile.from_environment else ""


def _api_key(profile: ModelProfile) -> str:
    return os.environ.get(profile.key_variable, "").strip() if profile.key_variable else ""
