"""Frames as rows: their seqs, their text, snapshots of what they add up to, and pruning."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.db import connections, transaction
from django.utils import timezone

from agent.messages import ToolCall
from sessions_app import claims, partials, stream, transactions
from sessions_app.models import Claim, Frame, Session
from sessions_app.partials import Partial
from sessions_app.session_snapshot import resume
from sessions_app.stream import NewFrame
from tests.sessions_app.socket_client import emit

pytestmark = [pytest.mark.storage, pytest.mark.django_db(transaction=True)]


def append(session: Session, *frames: NewFrame, execution_id: str = "") -> int:
    return transactions.run(lambda: stream.append(session.pk, frames, execution_id=execution_id))


def seqs(session: Session) -> list[int]:
    return list(Frame.objects.filter(session=session).values_list("seq", flat=True))


def test_it_stores_the_whole_frame_as_it_goes_out(session: Session) -> None:
    frames = [NewFrame("notice", {"code": "a", "message": "é"}), NewFrame("cancelled", {})]
    assert append(session, *frames, execution_id="e1") == 2
    assert list(Frame.objects.values_list("seq", "type", "execution_id", "text")) == [
        (
            1,
            "notice",
            "e1",
            f'{{"type":"notice","sessionId":{session.pk},"seq":1,'
            '"data":{"code":"a","message":"é","executionId":"e1"}}',
        ),
        (
            2,
            "cancelled",
            "e1",
            f'{{"type":"cancelled","sessionId":{session.pk},"seq":2,"data":{{"executionId":"e1"}}}}',
        ),
    ]


def test_it_leaves_out_the_execution_where_there_is_none(session: Session) -> None:
    append(session, NewFrame("notice", {"code": "a"}))
    assert orjson.loads(Frame.objects.get().text)["data"] == {"code": "a"}


def test_it_stores_lone_surrogates_replaced(session: Session) -> None:
    append(session, NewFrame("notice", {"message": "a\udc97b", "\ud800": 1}))
    assert orjson.loads(Frame.objects.get().text)["data"] == {"message": "a\ufffdb", "\ufffd": 1}


def test_it_needs_a_transaction(session: Session) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        stream.append(session.pk, [NewFrame("notice", {})])


def test_it_needs_a_session(session: Session) -> None:
    with pytest.raises(Session.DoesNotExist), transaction.atomic():
        stream.append(999, [NewFrame("notice", {})])


def test_it_takes_back_seqs_with_their_transaction(session: Session) -> None:
    def fail() -> None:
        stream.append(session.pk, [NewFrame("notice", {})])
        raise ZeroDivisionError

    emit(session.pk, 2)
    with pytest.raises(ZeroDivisionError):
        transactions.run(fail)
    assert (emit(session.pk), seqs(session)) == (3, [1, 2, 3])


def test_no_frames_take_no_seq(session: Session) -> None:
    emit(session.pk, 2)
    assert (append(session), seqs(session)) == (2, [1, 2])


def test_it_counts_without_gaps_from_several_threads(session: Session) -> None:
    def work() -> None:
        emit(session.pk, 25)
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seqs(session) == list(range(1, 101))


def test_it_reads_rows_in_order_and_no_further_than_asked(session: Session) -> None:
    emit(session.pk, 6)
    found = stream.rows(session.pk, after=1, upto=5, limit=3)
    assert [seq for seq, _ in found] == [2, 3, 4]


def test_it_reads_few_rows_at_once_where_they_are_large(session: Session) -> None:
    emit(session.pk, 5, padding="x" * (stream.ROWS_CHARS // 2))
    found = stream.rows(session.pk, after=0, upto=5, limit=100)
    assert [seq for seq, _ in found] == [1, 2]


def test_it_knows_the_heads_of_many_sessions(
    make_session: Callable[..., Session], running: Session
) -> None:
    other = make_session()
    emit(other.pk, 3)
    asked = [running.pk, other.pk, *range(10_000, 11_000)]
    assert stream.heads(asked) == {
        running.pk: stream.Head(0, running.owner_id, "e1"),
        other.pk: stream.Head(3, other.owner_id, ""),
    }


def test_a_delta_names_its_place(session: Session) -> None:
    text = stream.delta_text(7, "content_delta", "né", 3, 5, "e1")
    assert orjson.loads(text) == {
        "type": "content_delta",
        "sessionId": 7,
        "seq": None,
        "data": {"delta": "né", "offset": 3, "requestId": 5, "executionId": "e1"},
    }


# -- snapshots


def test_a_new_session_has_an_empty_snapshot(session: Session) -> None:
    assert stream.snapshot(session.pk) == {
        "phase": "IDLE",
        "executionId": None,
        "seq": 0,
        "partial": None,
        "context": None,
        "pendingApprovals": [],
        "compacting": False,
    }


def test_a_snapshot_shows_what_streams_in_this_process(running: Session) -> None:
    calls = (ToolCall("c1", "read_file", "{}"),)
    partials.put(running.pk, Partial(5, "text", "thought", calls))
    snapshot = stream.snapshot(running.pk)
    partials.clear(running.pk)
    assert (snapshot["executionId"], snapshot["partial"]) == (
        "e1",
        {
            "text": "text",
            "thinking": "thought",
            "toolCalls": [{"id": "c1", "name": "read_file", "arguments": "{}"}],
            "requestId": 5,
        },
    )


def test_a_snapshot_shows_what_streams_in_another_process(running: Session) -> None:
    partial = {"text": "far", "thinking": "", "toolCalls": [], "requestId": 5}
    claims.save_partial(
        session_id=running.pk, execution_id="e1", partial=orjson.dumps(partial).decode()
    )
    assert stream.snapshot(running.pk)["partial"] == partial


def test_a_snapshot_shows_no_partial_without_an_execution(session: Session) -> None:
    partials.put(session.pk, Partial(5, "left over"))
    snapshot = stream.snapshot(session.pk)
    partials.clear(session.pk)
    assert snapshot["partial"] is None


def test_a_snapshot_shows_the_context_as_it_was_pushed(session: Session) -> None:
    Session.objects.update(context_frame='{"estimated":7,"actual":null,"executionId":"e1"}')
    assert stream.snapshot(session.pk)["context"] == {
        "estimated": 7,
        "actual": None,
        "manifest": None,
    }


COMPACTING = [
    (Claim.Kind.COMPACTION, [], True),
    (Claim.Kind.RUN, [], False),
    (Claim.Kind.RUN, ["compaction_start"], True),
    (Claim.Kind.RUN, ["compaction_start", "notice"], True),
    (Claim.Kind.RUN, ["compaction_start", "compaction_end"], False),
]


@pytest.mark.parametrize(("kind", "types", "expected"), COMPACTING)
def test_a_snapshot_says_whether_a_compaction_is_under_way(
    session: Session, kind: str, types: list[str], expected: bool
) -> None:
    claims.take(session_id=session.pk, execution_id="e1", kind=kind)
    append(session, *(NewFrame(type_, {}) for type_ in types), execution_id="e1")
    assert stream.snapshot(session.pk)["compacting"] is expected


def test_a_compaction_that_died_with_its_run_is_not_under_way(session: Session) -> None:
    append(session, NewFrame("compaction_start", {}), execution_id="e0")
    claims.take(session_id=session.pk, execution_id="e1", kind=Claim.Kind.RUN)
    assert stream.snapshot(session.pk)["compacting"] is False


AFTER: list[tuple[int | None, tuple[int, bool | None]]] = [
    (None, (10, None)),
    (10, (10, None)),
    (9, (9, None)),
    (4, (4, None)),
    (3, (10, True)),
    (0, (10, True)),
    (-1, (10, True)),
    (11, (10, True)),
    (10**30, (10, True)),
]


@pytest.mark.parametrize(("after", "expected"), AFTER)
def test_it_resumes_where_no_frame_is_missing(
    session: Session, after: int | None, expected: tuple[int, bool | None]
) -> None:
    emit(session.pk, 10)
    Frame.objects.filter(seq__lte=4).delete()
    resumption = resume(session.pk, after)
    assert (resumption.cursor, resumption.data.get("reset")) == expected


def test_it_takes_the_snapshot_again_when_a_frame_came_meanwhile(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = iter([True])
    original = claims.current

    def current(session_id: int) -> Any:
        if next(late, False):
            emit(session_id)
        return original(session_id)

    monkeypatch.setattr(claims, "current", current)
    assert stream.snapshot(session.pk)["seq"] == 1


# -- pruning


def age(session: Session, hours: float, *, upto: int) -> None:
    moment = timezone.now() - timedelta(hours=hours)
    Frame.objects.filter(session=session, seq__lte=upto).update(created_at=moment)


def test_it_prunes_what_is_older_than_a_day(session: Session) -> None:
    emit(session.pk, 6)
    age(session, 25, upto=4)
    assert (stream.prune(), seqs(session), stream.prune()) == (4, [5, 6], 0)


def test_it_keeps_what_is_younger(session: Session) -> None:
    emit(session.pk, 3)
    age(session, 23, upto=3)
    assert (stream.prune(), seqs(session)) == (0, [1, 2, 3])


def test_it_leaves_no_gap_behind_a_young_frame(session: Session) -> None:
    emit(session.pk, 3)
    age(session, 25, upto=3)
    Frame.objects.filter(seq=2).update(created_at=timezone.now())
    assert (stream.prune(), seqs(session)) == (1, [2, 3])


def test_it_prunes_all_of_a_session_that_rests(
    session: Session, make_session: Callable[..., Session]
) -> None:
    other = make_session()
    emit(session.pk, 3)
    emit(other.pk, 1)
    age(session, 25, upto=3)
    assert (stream.prune(), seqs(session), seqs(other)) == (3, [], [1])
    assert resume(session.pk, 3).data == stream.snapshot(session.pk)


def test_it_keeps_the_frames_of_an_execution_that_is_not_over(running: Session) -> None:
    emit(running.pk, 2)
    append(running, NewFrame("notice", {}), execution_id="e1")
    emit(running.pk, 1)
    age(running, 48, upto=4)
    assert (stream.prune(), seqs(running)) == (2, [3, 4])
