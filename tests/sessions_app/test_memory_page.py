"""What the session page shows of memories: chips, what is held back, proposals."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from memory_app import services
from memory_app.models import MemoryItem
from sessions_app.models import Session
from tests.sessions_app.remembering import remember, section, set_status
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import frames, run

pytestmark = pytest.mark.usefixtures("runs_end")

CHIP = re.compile(
    r'<a class="chip( stale)?" href="([^"]+)" data-testid="memory-chip" data-memory-id="(\d+)"'
    r"[^>]*> (.*?) </a>"
)


def shown(api: Rest, session: Session) -> str:
    """The page's HTML, any white space as one space."""
    return " ".join(api.get(f"/sessions/{session.pk}").content.decode().split())


def chips(api: Rest, session: Session) -> list[tuple[int, str, bool]]:
    """(id, text, whether it is marked as gone or changed) of each chip."""
    found = CHIP.findall(shown(api, session))
    for _, address, id_, _ in found:
        assert address == f"/settings/memory#memory-{id_}"
    return [
        (int(id_), " ".join(re.sub("<[^>]+>", "", text).split()), bool(stale))
        for stale, _, id_, text in found
    ]


def test_there_is_one_chip_for_each_memory_in_their_order(
    api: Rest, owner: User, make_session: Callable[..., Session]
) -> None:
    session = make_session(project_key="p")
    project = remember(owner, "uses tabs", project="p")
    first, second = remember(owner, "first"), remember(owner, "second")
    run(session, "hello")
    expected = [(second.pk, "second"), (first.pk, "first"), (project.pk, "uses tabs")]
    assert chips(api, session) == [(*one, False) for one in expected]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("edit", "changed since: Likes coffee"),
        ("dismiss", "dismissed since: Likes tea"),
        ("delete", "#{id}, deleted since"),
    ],
)
def test_a_chip_says_what_became_of_its_memory(
    api: Rest, owner: User, session: Session, change: str, text: str
) -> None:
    item = remember(owner, "Likes tea")
    run(session, "hello")
    assert chips(api, session) == [(item.pk, "Likes tea", False)]
    if change == "edit":
        fields: services.MemoryFields = {"content": "Likes coffee"}
        services.memory_update(owner_id=owner.pk, memory_id=item.pk, fields=fields)
    elif change == "dismiss":
        set_status(item, "DISMISSED")
    else:
        services.memory_delete(owner_id=owner.pk, memory_id=item.pk)
    assert chips(api, session) == [(item.pk, text.format(id=item.pk), True)]


def test_dismissed_and_restored_is_as_before(api: Rest, owner: User, session: Session) -> None:
    item = remember(owner, "Likes tea")
    run(session, "hello")
    set_status(item, "DISMISSED")
    set_status(item, "ACTIVE")
    assert chips(api, session) == [(item.pk, "Likes tea", False)]


def test_it_says_what_the_switch_holds_back(api: Rest, owner: User, session: Session) -> None:
    for number in range(9):
        remember(owner, f"fact {number}")
    run(session, "hello")
    row = section(session)
    assert row is not None
    assert "held back" not in shown(api, session)
    api.send("PATCH", f"/v1/sessions/{session.pk}", {"memoryInjectionDisabled": True})
    assert f"8 held back by the switch ({row['tokens']} tokens)" in shown(api, session)
    assert "Takes effect with the next run." in shown(api, session)


def test_other_pages_are_told_of_the_switch(api: Rest, session: Session) -> None:
    for off in (True, True, False):
        api.send("PATCH", f"/v1/sessions/{session.pk}", {"memoryInjectionDisabled": off})
    assert frames(session) == [{"type": "session_status", "phase": "IDLE"}] * 2
    parts = api.get(f"/sessions/{session.pk}/parts?after=0").json()["parts"]
    assert 'data-injection="on"' in parts["memories"]


def test_a_proposal_is_a_card_with_its_two_answers(api: Rest, session: Session) -> None:
    run(session, "remember Likes tea")
    item = MemoryItem.objects.get()
    page = shown(api, session)
    assert '<details class="card done" open' in page
    assert "A proposal: no run gets it before you accept it." in page
    assert re.findall(r'data-memory-status="(\w+)"', page) == ["ACTIVE", "DISMISSED"]
    assert f'href="/settings/memory#memory-{item.pk}"> Memory {item.pk} </a>' in page


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("ACTIVE", "Active: runs get it."),
        ("DISMISSED", "Dismissed: no run gets it."),
        ("", "Deleted since."),
    ],
)
def test_its_card_shows_what_was_decided(
    api: Rest, owner: User, session: Session, status: str, words: str
) -> None:
    run(session, "remember Likes tea")
    item = MemoryItem.objects.get()
    if status:
        set_status(item, status)
    else:
        services.memory_delete(owner_id=owner.pk, memory_id=item.pk)
    page = shown(api, session)
    assert words in page
    assert "data-memory-status" not in page
