from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries

from compaction_app.models import SessionCompaction
from sessions_app.models import Message, Session
from sessions_app.serializers import MessageSerializer
from sessions_app.shapes import message_shape, time_text
from tests.sessions_app.rest import Rest


@pytest.fixture
def said(session: Session) -> list[int]:
    """Ids of ten messages."""
    texts = [f"message {number}" for number in range(10)]
    return [session.messages.create(role="user", content=text).pk for text in texts]


def _path(session: Session, query: str = "") -> str:
    return f"/v1/sessions/{session.pk}/messages{query}"


def test_it_shows_a_message_whole(api: Rest, session: Session) -> None:
    call = {"id": "c1", "name": "read_file", "arguments": '{"path": "a"}'}
    message = session.messages.create(
        role="assistant", content="Reading.", tool_calls=[call], tokens=9
    )
    assert api.get(_path(session)).json() == {
        "results": [
            {
                "id": message.pk,
                "role": "assistant",
                "content": "Reading.",
                "toolCalls": [call],
                "toolCallId": None,
                "toolName": None,
                "metadata": {},
                "tokens": 9,
                "compacted": False,
                "createdAt": time_text(message.created_at),
            }
        ],
        "next": None,
    }


def test_its_schema_names_the_fields_that_are_sent(said: list[int]) -> None:
    shape = message_shape(Message.objects.get(pk=said[0]))
    assert list(MessageSerializer().fields) == list(shape)


def test_it_pages_backwards_with_each_page_oldest_first(
    api: Rest, session: Session, said: list[int]
) -> None:
    pages, query = [], "?limit=4"
    while True:
        page = api.get(_path(session, query)).json()
        pages.append([row["id"] for row in page["results"]])
        if page["next"] is None:
            break
        query = f"?limit=4&before={page['next']}"
    assert pages == [said[6:], said[2:6], said[:2]]


def test_it_marks_what_the_handoff_stands_for(api: Rest, session: Session, said: list[int]) -> None:
    SessionCompaction.objects.create(
        session=session, summary_text="s", last_compacted_msg_id=said[3], compact_count=1
    )
    rows = api.get(_path(session)).json()["results"]
    assert [row["id"] for row in rows if row["compacted"]] == said[:4]


def test_it_shows_only_this_sessions_messages(
    api: Rest, said: list[int], make_session: Callable[..., Session]
) -> None:
    assert api.get(_path(make_session())).json() == {"results": [], "next": None}


@pytest.mark.parametrize("before", ["0", "-3", "abc", "1e3", "1" * 30, "", "\u0663"])
def test_it_refuses_a_bad_before(api: Rest, session: Session, before: str) -> None:
    answer = api.get(_path(session), {"before": before})
    assert answer.status_code == 400
    assert "allowed: a whole number from 1" in answer.json()["before"][0]


def test_it_reads_with_the_same_queries_however_many_there_are(
    api: Rest,
    session: Session,
    said: list[int],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for limit in (1, 10):
        with django_assert_num_queries(5):  # cookie, user, session, messages, boundary
            api.get(_path(session, f"?limit={limit}"))


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({}, "content", "This field is required."),
        ({"content": ""}, "content", "Blank is not allowed."),
        ({"content": " \n\u3000"}, "content", "Blank is not allowed."),
        ({"content": None}, "content", "This field may not be null."),
        ({"content": ["a"]}, "content", "['a'] is not a text; allowed: a JSON string."),
        ({"content": "x" * 200_001}, "content", "Too long; allowed: at most 200000 characters."),
        ({"content": "x", "eventId": ""}, "eventId", "Blank is not allowed."),
        ({"content": "x", "eventId": 7}, "eventId", "7 is not a text; allowed: a JSON string."),
        (
            {"content": "x", "eventId": "e" * 201},
            "eventId",
            "Too long; allowed: at most 200 characters.",
        ),
        ({"content": "x", "role": "system"}, "role", "Unknown field; allowed: content, eventId."),
    ],
)
def test_it_refuses_what_is_no_message(
    api: Rest, session: Session, body: dict[str, object], field: str, message: str
) -> None:
    answer = api.send("POST", _path(session), body)
    assert (answer.status_code, answer.json()) == (400, {field: [message]})
    assert not Message.objects.exists()


def test_it_refuses_to_start_beside_a_run(api: Rest, running: Session) -> None:
    answer = api.send("POST", _path(running), {"content": "hello"})
    assert (answer.status_code, answer.json()["executionId"]) == (409, "e1")
    assert not Message.objects.exists()
