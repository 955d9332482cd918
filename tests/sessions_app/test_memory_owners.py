"""Two owners, two projects: nothing of one is ever in anything of the other."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_app.models import MemoryItem
from memory_app.selectors import PROJECT_LIMIT, USER_LIMIT
from sessions_app import claims, runs
from sessions_app.models import Claim, ModelProfile, Session
from tests.sessions_app.remembering import carried, manifest, remember
from tests.sessions_app.rest import signed_in
from tests.sessions_app.running import wait_until, wire_model
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")

OWNERS = (0, 1)
PROJECTS = ("e1", "E1")  # a collation would take them for one
STATUSES = ("ACTIVE", "ACTIVE", "ACTIVE", "DISMISSED", "PROPOSED")


@dataclass(frozen=True)
class Assigned:
    """Where one memory is put; its content names no place."""

    owner: int
    project: str
    status: str


ASSIGNED = st.builds(
    Assigned, st.sampled_from(OWNERS), st.sampled_from(("", *PROJECTS)), st.sampled_from(STATUSES)
)
# Few and many: in some examples a place has more than a run is given.
ASSIGNMENTS = st.lists(ASSIGNED, max_size=6) | st.lists(ASSIGNED, min_size=60, max_size=70)


def content(number: int) -> str:
    return f"fact-{number:03}."


def expected(assignments: list[Assigned], owner: int, project: str) -> list[str]:
    """What a run of this owner in this project must carry: the newest of each place first."""

    def newest(place: str, limit: int) -> list[str]:
        found = [
            content(number)
            for number, one in enumerate(assignments)
            if (one.owner, one.project, one.status) == (owner, place, "ACTIVE")
        ]
        return found[::-1][:limit]

    return newest("", USER_LIMIT) + newest(project, PROJECT_LIMIT)


@pytest.fixture
def wired(wire: Wire) -> ModelProfile:
    return wire_model(wire.base_url)


def make_session(user: User, project: str, model: ModelProfile, workspace: str) -> Session:
    session = Session.objects.create(
        owner=user, model=model, project_key=project, workspace=workspace, title="T"
    )
    Claim.objects.create(session=session)
    return session


def run_all(sessions: list[Session]) -> None:
    for session in sessions:
        runs.start(session_id=session.pk, content=f"hello from {session.pk}.")
    wait_until(lambda: all(claims.current(session.pk) is None for session in sessions))


def fill(users: list[User], assignments: list[Assigned]) -> None:
    for number, one in enumerate(assignments):
        item = remember(users[one.owner], content(number), project=one.project)
        MemoryItem.objects.filter(pk=item.pk).update(status=one.status)


def texts_in(page: str, assignments: list[Assigned]) -> set[str]:
    """Which of all the contents are somewhere in a page."""
    return {text for number in range(len(assignments)) if (text := content(number)) in page}


@settings(
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],  # shrinking would run for minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(assignments=ASSIGNMENTS)
def test_nothing_of_one_is_in_anything_of_the_other(
    staff: User, wired: ModelProfile, wire: Wire, tmp_path: Path, assignments: list[Assigned]
) -> None:
    wire.reset()
    users = [User.objects.create(username=f"u{User.objects.count()}") for _ in OWNERS]
    fill(users, assignments)
    places = {
        make_session(users[index], project, wired, str(tmp_path)): (index, project)
        for index in OWNERS
        for project in PROJECTS
    }
    run_all(list(places))
    sent = {request.body["messages"][1]["content"]: request.body for request in wire.requests()}
    for session, (index, project) in places.items():
        body = sent[f"hello from {session.pk}."]
        due = expected(assignments, index, project)
        found = carried(body["messages"][0]["content"])
        assert list(found.values()) == due
        assert texts_in(str(body), assignments) == set(due)
        assert manifest(session)["memoryIds"] == list(found)
        page = signed_in(users[index]).get(f"/sessions/{session.pk}").content.decode()
        assert texts_in(page, assignments) == set(due)
    desk = signed_in(staff)
    for index, user in enumerate(users):
        own = {content(n) for n, one in enumerate(assignments) if one.owner == index}
        client = signed_in(user)
        rows = client.get("/v1/memory", {"limit": 200}).json()["results"]
        assert {row["content"] for row in rows} == own
        table = f"/admin/memory_app/memoryitem/?owner__id__exact={user.pk}&all="
        for answer in (client.get("/settings/memory"), desk.get(table)):
            assert texts_in(answer.content.decode(), assignments) == own
