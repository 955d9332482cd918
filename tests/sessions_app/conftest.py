"""What the tests of REST share: signed-in clients, and no model from the surrounding environment."""

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from sessions_app import claims
from sessions_app.models import Claim, Session
from tests.sessions_app.rest import Rest, signed_in


@pytest.fixture(autouse=True)
def _no_model_of_the_environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    settings.OPENAI_BASE_URL = ""
    settings.ANTHROPIC_BASE_URL = ""
    settings.MODEL_WINDOW_TOKENS = None


@pytest.fixture
def api(owner: User) -> Rest:
    """The owner's client."""
    return signed_in(owner)


@pytest.fixture
def running(session: Session) -> Session:
    """The session while the execution `e1` holds its claim."""
    assert claims.take(session_id=session.pk, execution_id="e1", kind=Claim.Kind.RUN)
    return session
