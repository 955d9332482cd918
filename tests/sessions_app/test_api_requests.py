import hashlib
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from pytest_django import DjangoAssertNumQueries

from sessions_app import request_parts
from sessions_app.models import RequestLog, Session
from sessions_app.request_text import CUT_NOTE, MAX_CHARS
from sessions_app.shapes import time_text
from tests.sessions_app.rest import Rest

Row = tuple[str, str, int, str]  # key, label, tokens, text


@pytest.fixture
def log(session: Session) -> Callable[..., RequestLog]:
    """Logs a request of the session with these parts."""

    def make(*parts: Row, messages: int = 0, **fields: Any) -> RequestLog:
        texts = {hashlib.sha256(text.encode()).hexdigest(): text for *_, text in parts}
        request_parts.store(texts, known=set())
        rows = [(*part[:3], digest) for part, digest in zip(parts, texts, strict=True)]
        estimated = sum(tokens for _, _, tokens, _ in parts) + messages
        defaults = {"execution_id": "e1", "estimated": estimated, "parts": rows}
        return session.requests.create(**{**defaults, **fields})

    return make


def _said(session: Session, *texts: str) -> list[int]:
    return [session.messages.create(role="user", content=text, tokens=10).pk for text in texts]


def _detail(api: Rest, row: RequestLog) -> dict[str, Any]:
    answer: dict[str, Any] = api.get(f"/v1/sessions/{row.session_id}/requests/{row.pk}").json()
    return answer


def _changes(detail: dict[str, Any]) -> list[tuple[str, str]]:
    return [(part["key"], part["change"]) for part in detail["parts"]]


def test_it_shows_a_request_as_it_was_logged(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    manifest = {"sections": [], "memoryIds": [], "requestId": 1}
    row = log(messages=120, actual=118, cached_tokens=0, output_tokens=7, duration_ms=950)
    row.manifest, row.stop_reason = orjson.dumps(manifest).decode(), "stop"
    row.save(update_fields=["manifest", "stop_reason"])
    assert api.get(f"/v1/sessions/{session.pk}/requests").json() == {
        "results": [
            {
                "id": row.pk,
                "kind": "run",
                "executionId": "e1",
                "estimated": 120,
                "actual": 118,
                "cachedTokens": 0,
                "outputTokens": 7,
                "durationMs": 950,
                "stopReason": "stop",
                "manifest": manifest,
                "createdAt": time_text(row.created_at),
            }
        ],
        "next": None,
    }


def test_it_says_null_for_what_is_not_known_yet(api: Rest, log: Callable[..., RequestLog]) -> None:
    detail = _detail(api, log())
    unknown = ["actual", "cachedTokens", "outputTokens", "durationMs", "stopReason", "manifest"]
    assert [detail[name] for name in unknown] == [None] * 6


def test_it_pages_from_the_newest(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    ids = [log().pk for _ in range(5)]
    pages, query = [], "?limit=2"
    while query:
        page = api.get(f"/v1/sessions/{session.pk}/requests{query}").json()
        pages.append([row["id"] for row in page["results"]])
        query = f"?limit=2&cursor={page['next']}" if page["next"] else ""
    assert pages == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]


def test_it_shows_the_parts_as_sent_with_the_messages_in_their_place(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    first, last = _said(session, "What is this?", "And that?")
    row = log(
        ("persona", "Persona", 5, "You are an agent."),
        ("tools", "", 9, "[]"),
        ("handoff", "Handoff summary", 7, "What happened so far."),
        ("context_notes", "Notes to the model", 3, "<context_notes/>"),
        messages=20,
        first_message_id=first,
        last_message_id=last,
    )
    history = f"[user #{first}]\nWhat is this?\n\n[user #{last}]\nAnd that?\n\n"
    assert _detail(api, row)["parts"] == [
        _part("persona", "Persona", 5, "You are an agent."),
        _part("tools", "Tool definitions", 9, "[]"),
        _part("handoff", "Handoff summary", 7, "What happened so far."),
        _part("messages", "Messages", 20, history),
        _part("context_notes", "Notes to the model", 3, "<context_notes/>"),
    ]


def _part(key: str, label: str, tokens: int, text: str) -> dict[str, Any]:
    return {"key": key, "label": label, "tokens": tokens, "text": text, "change": "new"}


def test_it_compares_with_the_run_request_before(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    ids = _said(session, "one", "two", "three")
    persona, tools = ("persona", "Persona", 5, "You."), ("tools", "", 9, "[]")
    notes = ("context_notes", "Notes", 3, "a note")
    log(persona, tools, notes, messages=20, first_message_id=ids[0], last_message_id=ids[1])
    log(kind="summary")
    row = log(persona, tools, messages=30, first_message_id=ids[0], last_message_id=ids[2])
    detail = _detail(api, row)
    assert _changes(detail) == [
        ("persona", "same"),
        ("tools", "same"),
        ("messages", "changed"),
        ("context_notes", "gone"),
    ]
    assert detail["parts"][3]["text"] == "a note"
    assert (detail["stablePrefixTokens"], detail["firstChangedKey"]) == (5 + 9 + 20, "messages")


def test_it_finds_no_common_messages_once_the_boundary_moved(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    ids = _said(session, "one", "two", "three")
    persona = ("persona", "Persona", 5, "You.")
    handoff = ("handoff", "Handoff summary", 4, "So far.")
    log(persona, messages=20, first_message_id=ids[0], last_message_id=ids[1])
    row = log(persona, handoff, messages=10, first_message_id=ids[2], last_message_id=ids[2])
    detail = _detail(api, row)
    assert _changes(detail) == [("persona", "same"), ("handoff", "new"), ("messages", "changed")]
    assert (detail["stablePrefixTokens"], detail["firstChangedKey"]) == (5, "handoff")


def test_it_finds_nothing_changed_when_the_same_is_sent_again(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    (only,) = _said(session, "one")
    for _ in range(2):
        row = log(
            ("persona", "Persona", 5, "You."),
            messages=10,
            first_message_id=only,
            last_message_id=only,
        )
    detail = _detail(api, row)
    assert (detail["stablePrefixTokens"], detail["firstChangedKey"]) == (15, None)


def test_it_shows_calls_and_results_of_the_history(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    call = {"id": "c1", "name": "read_file", "arguments": '{"path": "a"}'}
    first = session.messages.create(role="assistant", tool_calls=[call]).pk
    last = session.messages.create(role="tool", tool_name="read_file", content="{}").pk
    detail = _detail(api, log(first_message_id=first, last_message_id=last))
    assert detail["parts"][0]["text"] == (
        f'[assistant #{first}]\n-> read_file {{"path": "a"}}\n\n[tool read_file #{last}]\n{{}}\n\n'
    )


def test_it_cuts_a_long_history_at_its_beginning_and_says_so(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    ids = _said(session, *["x" * 50_000] * 5, "the end")
    row = log(first_message_id=ids[0], last_message_id=ids[-1])
    text = _detail(api, row)["parts"][0]["text"]
    assert text.startswith(CUT_NOTE)
    assert text.endswith(f"[user #{ids[-1]}]\nthe end\n\n")
    assert len(text) == len(CUT_NOTE) + MAX_CHARS


def test_it_names_parts_in_the_sessions_language(
    api: Rest, session: Session, log: Callable[..., RequestLog]
) -> None:
    Session.objects.update(language="zh-hans")
    (only,) = _said(session, "一")
    row = log(("tools", "", 9, "[]"), first_message_id=only, last_message_id=only)
    assert [part["label"] for part in _detail(api, row)["parts"]] == ["工具定义", "消息"]


def test_it_does_not_reach_into_another_session(
    api: Rest, log: Callable[..., RequestLog], make_session: Callable[..., Session]
) -> None:
    answer = api.get(f"/v1/sessions/{make_session().pk}/requests/{log().pk}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_it_reads_with_the_same_queries_however_many_there_are(
    api: Rest,
    session: Session,
    log: Callable[..., RequestLog],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for count in (1, 20):
        rows = [log(("persona", "Persona", 5, f"{count} {n}")) for n in range(count)]
        with django_assert_num_queries(4):  # cookie, user, session, log
            api.get(f"/v1/sessions/{session.pk}/requests")
    with django_assert_num_queries(6):  # cookie, user, session, request, the one before, texts
        _detail(api, rows[-1])
