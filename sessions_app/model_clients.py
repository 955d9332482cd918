"""Which client speaks to a model."""

from functools import lru_cache

from django.conf import settings

from agent.clients.base import ConcurrencyLimit, Deadlines
from agent.clients.openai import OpenAIClient
from agent.clients.rehearsal import RehearsalModel
from agent.errors import ConfigurationError
from agent.phrases import Phrase
from agent.protocols import ModelClient
from sessions_app.models import ModelProfile
from sessions_app.services.models import ResolvedModel


@lru_cache(maxsize=1)
def _limit() -> ConcurrencyLimit:
    return ConcurrencyLimit(settings.MODEL_CONCURRENCY)


def deadlines() -> Deadlines:
    """The configured deadlines of a model request."""
    return Deadlines(
        connect=settings.MODEL_CONNECT_TIMEOUT_S,
        first_token=settings.MODEL_FIRST_TOKEN_TIMEOUT_S,
        chunk_gap=settings.MODEL_CHUNK_TIMEOUT_S,
        total=settings.MODEL_TOTAL_TIMEOUT_S,
    )


def client_for(model: ResolvedModel) -> ModelClient:
    """A client for this model, under the process's concurrency limit."""
    return _limit().apply(_client(model))


def _client(model: ResolvedModel) -> ModelClient:
    if model.provider == ModelProfile.Provider.REHEARSAL:
        return RehearsalModel()
    if model.provider == ModelProfile.Provider.OPENAI:
        return OpenAIClient(api_key=model.api_key, base_url=model.base_url, deadlines=deadlines())
    raise ConfigurationError(
        Phrase(
            "%(model)s: there is no client for provider %(provider)s; allowed: rehearsal, openai.",
            model=model.spec.name,
            provider=repr(model.provider),
        )
    )
