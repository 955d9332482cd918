import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions_app import claims
from sessions_app.models import Message, Session
from sessions_app.views import LIVE_PARTS
from tests.sessions_app.page_rows import answer, ask, call, push, say


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


def parts(page: Client, session: Session, after: int) -> Any:
    return page.get(f"/sessions/{session.pk}/parts?after={after}").json()


def conversation(page: Client, session: Session) -> tuple[str, str]:
    """What a reload shows: the messages and the tail."""
    html = page.get(f"/sessions/{session.pk}").content.decode()
    pattern = r'id="messages"[^>]*>(.*?)</div>\n +<div id="tail">(.*?)</div>\n +<div id="streaming"'
    found = re.search(pattern, html, re.S)
    assert found
    return found[1], found[2]


def test_a_page_that_stayed_open_shows_what_a_reload_does(page: Client, session: Session) -> None:
    claims.take(session_id=session.pk, execution_id="e1", kind="run")
    steps: list[Callable[[], Message]] = [
        lambda: ask(session),
        lambda: say(session, "assistant", "Two.", tool_calls=[call("c1"), call("c2")]),
        lambda: answer(session, "c1"),
        lambda: answer(session, "c2"),
        lambda: say(session, "assistant", "Done."),
    ]
    shown, last = "", 0
    for step in steps:
        row = step()
        update = parts(page, session, last)
        shown, last = shown + update["messages"], row.pk
        assert (shown, update["tail"]) == conversation(page, session)


def test_updates_that_were_missed_come_together(page: Client, session: Session) -> None:
    first = ask(session, phase="CANCELLED")
    say(session, "assistant", "One.", tool_calls=[call("c1")])
    before = parts(page, session, 0)["messages"]
    assert "You stopped this run." in parts(page, session, 0)["tail"]
    ask(session, "Go on.", execution_id="e2")
    together = parts(page, session, first.pk)
    assert "You stopped this run." in together["messages"]
    assert before.split("</article>")[0] not in together["messages"]
    assert (parts(page, session, 0)["messages"], together["tail"]) == conversation(page, session)


def test_a_page_that_was_away_for_long_catches_up_in_steps(page: Client, session: Session) -> None:
    ids = [say(session, "user", f"text {number}").pk for number in range(80)]
    first = parts(page, session, 0)
    second = parts(page, session, ids[49])
    assert (first["later"], second["later"]) == (True, False)
    together = first["messages"] + second["messages"]
    assert re.findall(r'data-message-id="(\d+)"', together) == [str(id_) for id_ in ids]


def test_it_carries_the_number_of_the_last_frame_and_the_title(
    page: Client, session: Session
) -> None:
    Session.objects.filter(pk=session.pk).update(frame_seq=41, title="a\u202eb <b>")
    update = parts(page, session, 0)
    assert (update["seq"], update["title"]) == (41, "a⟨U+202E⟩b <b>")


def test_the_parts_beside_are_those_of_the_page(page: Client, session: Session) -> None:
    push(session)
    html = page.get(f"/sessions/{session.pk}").content.decode()
    update = parts(page, session, 0)
    assert list(update["parts"]) == list(LIVE_PARTS)
    assert [name for name, part in update["parts"].items() if part not in html] == []


def test_earlier_messages_come_with_where_to_go_on(page: Client, session: Session) -> None:
    ids = [say(session, "user", f"text {number}").pk for number in range(60)]
    update = page.get(f"/sessions/{session.pk}/earlier?before={ids[55]}").json()
    assert re.findall(r'data-message-id="(\d+)"', update["messages"]) == [
        str(id_) for id_ in ids[5:55]
    ]
    assert update["first"] == ids[5]
    rest = page.get(f"/sessions/{session.pk}/earlier?before={ids[5]}").json()
    assert rest["first"] is None


@pytest.mark.parametrize("query", ["", "?after=x", "?after=-1", "?after=" + "9" * 30])
def test_a_wrong_place_is_named(page: Client, session: Session, query: str) -> None:
    assert page.get(f"/sessions/{session.pk}/parts{query}").status_code == 400
    earlier = page.get(f"/sessions/{session.pk}/earlier{query.replace('after', 'before')}")
    assert (earlier.status_code, earlier.content) == (400, b"before must be the id of a message.")


@pytest.mark.parametrize("address", ["parts?after=0", "earlier?before=9", "messages/1/fragment"])
def test_fragments_are_for_the_owner_alone(
    session: Session, stranger: User, client: Client, address: str
) -> None:
    assert client.get(f"/sessions/{session.pk}/{address}").status_code == 302
    client.force_login(stranger)
    assert client.get(f"/sessions/{session.pk}/{address}").status_code == 403
