from collections.abc import Callable

from sessions_app.models import Message, Session, ToolOutput
from tests.sessions_app.rest import Rest


def _cut_result(session: Session) -> Message:
    message = session.messages.create(
        role="tool", content="{}", tool_call_id="c1", tool_name="grep_search"
    )
    ToolOutput.objects.create(message=message, output="all of it")
    return message


def test_it_shows_the_whole_output_of_a_cut_result(api: Rest, session: Session) -> None:
    message = _cut_result(session)
    answer = api.get(f"/v1/sessions/{session.pk}/messages/{message.pk}/output")
    assert answer.json() == {"toolCallId": "c1", "toolName": "grep_search", "output": "all of it"}


def test_it_answers_404_when_nothing_was_cut(api: Rest, session: Session) -> None:
    message = session.messages.create(role="tool", content="{}")
    answer = api.get(f"/v1/sessions/{session.pk}/messages/{message.pk}/output")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_it_answers_404_to_a_number_that_is_no_id(api: Rest, session: Session) -> None:
    answer = api.get(f"/v1/sessions/{session.pk}/messages/{10**20}/output")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_it_does_not_reach_into_another_session(
    api: Rest, session: Session, make_session: Callable[..., Session]
) -> None:
    message = _cut_result(make_session())
    answer = api.get(f"/v1/sessions/{session.pk}/messages/{message.pk}/output")
    assert answer.status_code == 404
