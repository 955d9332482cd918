"""What the API does is what its schema says, whatever it is sent."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings
from rest_framework.authtoken.models import Token
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memory_app.models import MemoryItem
from sessions_app.models import Message, Session, ToolOutput

# Not "what the schema allows is taken": whether a folder, a model, a cursor is there it can't say.
CHECKS: list[Callable[..., Any]] = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture
def one_connection(db: None) -> Iterator[None]:
    """The end of a request does not end the test's transaction: what waits for a commit, such as a
    run, never begins.
    """
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def ids(owner: User, session: Session) -> dict[str, int]:
    """Ids that name something, one for each parameter of a path."""
    tool = Message.objects.create(session=session, role="tool", content="{}", tool_call_id="c")
    ToolOutput.objects.create(message=tool, output="all of it")
    session.compaction_events.create(trigger_mode="manual", outcome="compacted", summary_text="so")
    return {
        "session_id": session.pk,
        "message_id": tool.pk,
        "request_id": session.requests.create(execution_id="e", estimated=1, parts=[]).pk,
        "memory_id": MemoryItem.objects.create(owner=owner, content="likes tea", dedup_hash="1").pk,
    }


@pytest.fixture
def contract(one_connection: None, owner: User) -> Any:
    """The schema as served, with the application behind it."""
    headers = {"Authorization": f"Token {Token.objects.create(user=owner).key}"}
    config = schemathesis.Config.from_dict({"headers": headers})
    return schemathesis.openapi.from_wsgi(
        "/v1/schema?format=json", WSGIHandler(), config=config, headers=headers
    )


def test_it_answers_as_its_schema_says(contract: Any, ids: dict[str, int]) -> None:
    operations = [found.ok() for found in contract.get_all_operations()]
    assert len(operations) >= 20
    statuses = {status for operation in operations for status in answers(operation, ids)}
    assert statuses >= {200, 202, 204, 400}


def answers(operation: Any, ids: dict[str, int]) -> set[int]:
    """The statuses of its answers, each of which kept to the schema; nothing stays changed."""
    seen = set()

    @settings(max_examples=8, database=None, suppress_health_check=[*HealthCheck])
    @given(case=operation.as_strategy())
    def answers_as_said(case: Any) -> None:
        case.path_parameters = {key: ids[key] for key in case.path_parameters or {}}
        with transaction.atomic():
            seen.add(case.call_and_validate(checks=CHECKS).status_code)
            transaction.set_rollback(True)

    answers_as_said()
    return seen
