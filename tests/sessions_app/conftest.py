"""What tests of the top floor share: clients, sessions on the wire, no foreign model."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from pytest_django import Settings

from compaction_app.models import (
    SessionCompaction,
    SessionCompactionEvent,
    SessionCompactionReport,
)
from memory_app.models import MemoryItem
from sessions_app import claims
from sessions_app.models import AgentProfile, Claim, ModelProfile, Session
from tests.sessions_app.asking import check_that_nobody_spoke_for_the_user, fill
from tests.sessions_app.rest import Rest, signed_in
from tests.sessions_app.running import run, wire_model
from tests.wire.fixture import Wire


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
def admin_rows(session: Session, owner: User) -> dict[type[Model], Model]:
    """A row of each table that the admin shows."""
    message = session.messages.create(role="tool", content="said", tool_name="read_file")
    made: list[Model] = [
        session,
        message,
        session.runs.create(execution_id="e1", message=message),
        session.requests.create(execution_id="e1", estimated=5, parts=[["k", "K", 5, "0" * 64]]),
        AgentProfile.objects.create(name="Reviewer", owner=owner),
        ModelProfile.objects.get(name="rehearsal"),
        MemoryItem.objects.create(owner=owner, content="likes tea", dedup_hash="1"),
        SessionCompaction.objects.create(
            session=session, summary_text="s", last_compacted_msg_id=1, compact_count=1
        ),
        SessionCompactionEvent.objects.create(
            session=session, trigger_mode="manual", outcome="compacted"
        ),
        SessionCompactionReport.objects.create(session=session),
    ]
    return {type(row): row for row in made}


@pytest.fixture
def running(session: Session) -> Session:
    """The session while the execution `e1` holds its claim."""
    assert claims.take(session_id=session.pk, execution_id="e1", kind=Claim.Kind.RUN)
    return session


@pytest.fixture
def wired(make_session: Callable[..., Session], wire: Wire) -> Session:
    """A session on the wire server, with a small window."""
    return make_session(model=wire_model(wire.base_url, window_tokens=20_000))


@pytest.fixture
def talked(wired: Session, wire: Wire) -> Session:
    """The same after four messages; only the last one's run was a real one."""
    fill(wired, rounds=3, words=300)
    wire.script({"text": "answer 3 " + "word " * 300})
    return run(wired, "wish 3")


@pytest.fixture
def half_full(wired: Session) -> Session:
    """The same with four messages that fill half of its window."""
    fill(wired, rounds=4, words=1_700)
    return wired


@pytest.fixture
def nobody_speaks_for_the_user(runs_end: None) -> Iterator[None]:
    """Scans the database after the test."""
    yield
    check_that_nobody_spoke_for_the_user()
