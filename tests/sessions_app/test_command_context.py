import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from sessions_app.models import Session
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import run


def shown(*arguments: object) -> str:
    output = StringIO()
    call_command("context", *map(str, arguments), stdout=output)
    return output.getvalue()


@pytest.mark.usefixtures("runs_end")
def test_it_shows_every_part_with_its_tokens(session: Session, api: Rest) -> None:
    run(session, "hi")
    context = api.get(f"/v1/sessions/{session.pk}/context").json()
    lines = shown(session.pk).splitlines()
    assert lines[0] == f"Session {session.pk}: Test (rehearsal)"
    tools = {"label": "Tool definitions", "tokens": context["manifest"]["tools"]["tokens"]}
    total = {"label": "Estimated", "tokens": context["estimated"]}
    for row in [*context["manifest"]["sections"], tools, total]:
        (line,) = [line for line in lines if line.startswith(row["label"])]
        assert f" {row['tokens']:,} " in line


@pytest.mark.usefixtures("runs_end")
def test_parts_are_named_in_the_sessions_language(session: Session) -> None:
    Session.objects.filter(pk=session.pk).update(language="zh-hans")
    run(session, "hi")
    assert "工具定义 (" in shown(session.pk)


@pytest.mark.usefixtures("runs_end")
def test_json_is_what_rest_says(session: Session, api: Rest) -> None:
    run(session, "hi")
    context = api.get(f"/v1/sessions/{session.pk}/context").json()
    assert json.loads(shown(session.pk, "--json")) == context


def test_before_the_first_request_it_says_so(session: Session) -> None:
    assert "There was no request yet" in shown(session.pk)
    assert shown(session.pk, "--json") == "null\n"


def test_an_unknown_session_is_named_with_some_that_there_are(session: Session) -> None:
    with pytest.raises(CommandError) as caught:
        shown(session.pk + 1)
    assert str(caught.value) == (f"There is no session {session.pk + 1}. The newest: {session.pk}.")


@pytest.mark.django_db
def test_without_any_session_it_says_that() -> None:
    with pytest.raises(CommandError, match=r"There is no session 7\. There is none at all\."):
        shown(7)


@pytest.mark.parametrize("argument", ["x", "1.5", ""])
def test_what_is_no_id_is_refused(argument: str) -> None:
    with pytest.raises(CommandError, match="argument SESSION: invalid int value"):
        shown(argument)
