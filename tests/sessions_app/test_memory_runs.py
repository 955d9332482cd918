"""Runs and memories: what is injected, the switch, provenance, failures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import orjson
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agent.tokens import TokenEstimator
from agent.tools.save_memory import SaveMemory
from memory_app import services
from memory_app.identity import sha256
from memory_app.models import MemoryItem, MemoryUse
from sessions_app import context, runs
from sessions_app.models import RequestLog, Session
from sessions_app.page.proposed import SAVE_MEMORY
from tests.sessions_app.remembering import (
    carried,
    manifest,
    remember,
    section,
    set_status,
    system,
)
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import frames, run, said, wait_idle, wire_model, write
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")


@pytest.fixture
def wired(make_session: Callable[..., Session], wire: Wire) -> Session:
    return make_session(model=wire_model(wire.base_url), project_key="vitrine")


def switch(api: Rest, session: Session, *, off: bool) -> None:
    body = {"memoryInjectionDisabled": off}
    answer = api.send("PATCH", f"/v1/sessions/{session.pk}", body)
    assert answer.json()["memoryInjectionDisabled"] is off


def test_a_run_is_given_the_memories_and_its_manifest_names_them(
    owner: User, wired: Session, wire: Wire
) -> None:
    user = remember(owner, "Likes tea")
    remember(owner, "elsewhere", project="other")
    project = remember(owner, "uses tabs", project="vitrine")
    run(wired, "hello")
    given = carried(system(wire))
    assert given == {user.pk: "Likes tea", project.pk: "uses tabs"}
    assert manifest(wired)["memoryIds"] == list(given)
    row = section(wired)
    assert row is not None
    assert (row["label"], row["count"]) == ("Long-term memory", 2)


def test_the_section_is_counted_as_it_was_sent(owner: User, wired: Session, wire: Wire) -> None:
    remember(owner, "Likes tea")
    run(wired, "hello")
    text = system(wire)
    end = text.index("\n\n## ", text.index('"Likes tea"'))
    row = section(wired)
    assert row is not None
    assert row["tokens"] == TokenEstimator().text(text[: end + 2])


def test_without_memories_there_is_no_section(wired: Session, wire: Wire) -> None:
    run(wired, "hello")
    assert "Long-term memory" not in system(wire)
    assert (section(wired), manifest(wired)["memoryIds"]) == (None, [])


@pytest.mark.parametrize("change", ["DISMISSED", "deleted"])
def test_what_was_dismissed_or_deleted_is_not_in_the_next_run(
    owner: User, wired: Session, wire: Wire, change: str
) -> None:
    kept, gone = remember(owner, "kept"), remember(owner, "gone")
    run(wired, "one")
    if change == "deleted":
        services.memory_delete(owner_id=owner.pk, memory_id=gone.pk)
    else:
        set_status(gone, change)
    run(wired, "two")
    assert [list(carried(system(wire, number))) for number in (0, 1)] == [
        [gone.pk, kept.pk],
        [kept.pk],
    ]


def test_the_switch_holds_from_the_next_run_on_and_back(
    api: Rest, owner: User, wired: Session, wire: Wire
) -> None:
    item = remember(owner, "Likes tea")
    seen = []
    for off in (False, True, False):
        switch(api, wired, off=off)
        run(wired, "hello")
        seen.append((list(carried(system(wire))), manifest(wired)["memoryIds"]))
    assert seen == [([item.pk], [item.pk]), ([], []), ([item.pk], [item.pk])]


def test_a_run_in_flight_keeps_its_memories(
    api: Rest, owner: User, wired: Session, wire: Wire
) -> None:
    item = remember(owner, "Likes tea")
    write(wired, "a.txt", "alpha")
    call = {"name": "read_file", "arguments": {"path": "a.txt"}}
    wire.script({"tool_calls": [call], "pause": 0.3}, {"text": "Done."})
    runs.start(session_id=wired.pk, content="hello")
    wire.wait_for(lambda requests: len(requests) == 1)
    switch(api, wired, off=True)
    set_status(item, "DISMISSED")
    wait_idle(wired)
    assert [list(carried(system(wire, number))) for number in (0, 1)] == [[item.pk]] * 2
    run(wired, "again")
    assert carried(system(wire)) == {}


def test_off_means_no_query_at_all(owner: User, session: Session) -> None:
    remember(owner, "Likes tea")

    def asked(*, off: bool) -> bool:
        Session.objects.filter(pk=session.pk).update(memory_injection_disabled=off)
        with CaptureQueriesContext(connection) as queries:
            context.load(session.pk, "e1")
        return any("memory_item" in query["sql"] for query in queries)

    assert asked(off=False)
    assert not asked(off=True)


@contextmanager
def without_the_table() -> Iterator[None]:
    """The table of memories is away, as far as reads go."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_item RENAME TO memory_away")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE memory_away RENAME TO memory_item")


def test_a_run_goes_on_without_memories_that_can_not_be_loaded(
    owner: User, wired: Session, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    remember(owner, "Likes tea")
    with without_the_table():
        run(wired, "hello")
    assert wired.phase == Session.Phase.COMPLETED
    assert carried(system(wire)) == {}
    [notice] = frames(wired, "notice")
    assert notice["code"] == "memories_not_loaded"
    assert "the run goes on without" in notice["message"]
    assert f"memories of session {wired.pk} not loaded" in caplog.text
    run(wired, "again")
    assert list(carried(system(wire)).values()) == ["Likes tea"]


def test_each_request_records_what_it_carried(owner: User, session: Session) -> None:
    item = remember(owner, "Likes tea")
    write(session, "a.txt", "alpha")
    run(session, "read a.txt")
    requests = list(RequestLog.objects.filter(session=session).values_list("pk", flat=True))
    uses = MemoryUse.objects.filter(memory=item)
    assert sorted(uses.values_list("request_id", flat=True)) == sorted(requests)
    tokens = TokenEstimator().text(f'- [{item.pk}] "Likes tea"\n')
    expected = {(session.pk, tokens, sha256("Likes tea"))}
    assert set(uses.values_list("session_id", "tokens", "content_hash")) == expected


def test_a_memory_deleted_in_mid_run_stops_nothing(owner: User, wired: Session, wire: Wire) -> None:
    kept, gone = remember(owner, "kept"), remember(owner, "gone")
    write(wired, "a.txt", "alpha")
    call = {"name": "read_file", "arguments": {"path": "a.txt"}}
    wire.script({"tool_calls": [call], "pause": 0.3}, {"text": "Done."})
    runs.start(session_id=wired.pk, content="hello")
    wire.wait_for(lambda requests: len(requests) == 1)
    services.memory_delete(owner_id=owner.pk, memory_id=gone.pk)
    wait_idle(wired)
    assert (wired.phase, said(wired)[-1][1]) == (Session.Phase.COMPLETED, "Done.")
    assert list(MemoryUse.objects.values_list("memory_id", flat=True)) == [kept.pk] * 2


def test_memories_are_no_messages(owner: User, wired: Session, wire: Wire) -> None:
    remember(owner, "Likes tea")
    for number in range(3):
        run(wired, f"ask {number}")
    for request in wire.requests():
        assert str(request.body["messages"]).count("Likes tea") == 1
    assert all("Likes tea" not in content for _, content in said(wired))


def test_a_proposal_is_stored_with_its_origin_and_injected_once_accepted(
    owner: User, session: Session
) -> None:
    run(session, "remember Likes tea")
    item = MemoryItem.objects.get()
    assert (item.owner, item.status, item.source) == (owner, "PROPOSED", "AUTO")
    answers = session.messages.filter(role="assistant").order_by("id")
    assert (item.origin_session_id, item.origin_message_id) == (session.pk, answers[0].pk)
    [result] = frames(session, "tool_call_result")
    expected = {"ok": True, "status": "proposed", "memoryId": item.pk}
    assert orjson.loads(result["result"]) == expected
    assert manifest(session)["memoryIds"] == []
    set_status(item, "ACTIVE")
    run(session, "hello")
    assert manifest(session)["memoryIds"] == [item.pk]


def test_a_proposal_for_a_project_goes_to_the_sessions_project(wired: Session, wire: Wire) -> None:
    arguments = {"content": "uses tabs", "scope": "PROJECT"}
    wire.script({"tool_calls": [{"name": "save_memory", "arguments": arguments}]}, {"text": "ok"})
    run(wired, "note it")
    item = MemoryItem.objects.get()
    assert (item.scope, item.project_key) == ("PROJECT", "vitrine")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"content": "x", "scope": "PROJECT"}, "this session has no project; allowed: USER"),
        ({"content": "x" * 501}, "501 characters are too many; allowed: at most 500"),
        ({"content": " "}, "Blank is not allowed"),
    ],
)
def test_a_proposal_that_can_not_be_is_an_error_for_the_model(
    make_session: Callable[..., Session], wire: Wire, arguments: dict[str, str], words: str
) -> None:
    session = make_session(model=wire_model(wire.base_url))
    wire.script({"tool_calls": [{"name": "save_memory", "arguments": arguments}]}, {"text": "ok"})
    run(session, "note it")
    [result] = frames(session, "tool_call_result")
    assert result["status"] == "error"
    assert words in orjson.loads(result["result"])["error"]
    assert not MemoryItem.objects.exists()


def test_the_limit_is_told_to_the_model(owner: User, session: Session) -> None:
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"{n}", dedup_hash=f"{n}") for n in range(200)
    )
    run(session, "remember Likes tea")
    [result] = frames(session, "tool_call_result")
    assert "200 memories are active, which is the limit" in result["result"]


def test_two_proposals_of_one_round_are_two_memories(wired: Session, wire: Wire) -> None:
    calls = [{"name": "save_memory", "arguments": {"content": f"fact {n}"}} for n in range(2)]
    wire.script({"tool_calls": calls}, {"text": "ok"})
    run(wired, "note both")
    assert sorted(MemoryItem.objects.values_list("content", flat=True)) == ["fact 0", "fact 1"]


def test_the_page_knows_the_tool_by_its_name() -> None:
    assert SaveMemory.name == SAVE_MEMORY
