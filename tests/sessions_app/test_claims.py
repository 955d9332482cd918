import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction

from agent.errors import ClaimLost
from sessions_app import claims, holder
from sessions_app.database_clock import DatabaseNow
from sessions_app.models import Claim, Session

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.storage]


def take(session: Session, execution_id: str = "e1", kind: str = "run") -> bool:
    return claims.take(session_id=session.pk, execution_id=execution_id, kind=kind)


def set_row(session: Session, **fields: object) -> None:
    Claim.objects.filter(session=session).update(**fields)


def row(session: Session) -> Claim:
    return Claim.objects.get(session=session)


def now_ms() -> int:
    return int(Claim.objects.annotate(now=DatabaseNow()).values_list("now", flat=True)[0])


def in_threads(count: int, work: Callable[[int], None]) -> None:
    def run(index: int) -> None:
        try:
            work(index)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)


def test_a_free_claim_is_taken_once(session: Session) -> None:
    assert take(session, "e1")
    assert not take(session, "e2")
    assert row(session).execution_id == "e1"


def test_of_eight_at_once_one_gets_it(session: Session) -> None:
    winners: list[int] = []
    in_threads(8, lambda index: winners.append(index) if take(session, f"e{index}") else None)
    assert len(winners) == 1
    assert row(session).execution_id == f"e{winners[0]}"


def test_taking_forgets_the_flags_of_the_run_before(session: Session) -> None:
    set_row(session, cancel_requested=True, compact_requested=True, partial="old")
    take(session)
    taken = row(session)
    assert (taken.cancel_requested, taken.compact_requested, taken.partial) == (False, False, "")


def test_the_lease_runs_by_the_databases_clock(session: Session) -> None:
    take(session)
    left = row(session).lease_until_ms - now_ms()
    assert settings.LEASE_S * 1000 - 5_000 < left <= settings.LEASE_S * 1000


def test_the_fence_renews_the_lease(session: Session) -> None:
    take(session)
    set_row(session, lease_until_ms=now_ms() + 10)
    claims.fence(session_id=session.pk, execution_id="e1")
    assert row(session).lease_until_ms > now_ms() + 10_000


@pytest.mark.parametrize("other", ["", "e2"])
def test_who_lost_the_claim_writes_nothing(session: Session, other: str) -> None:
    take(session)
    set_row(session, execution_id=other)
    with pytest.raises(ClaimLost, match="e1"), transaction.atomic():
        claims.fence(session_id=session.pk, execution_id="e1")
    with pytest.raises(ClaimLost):
        claims.release(session_id=session.pk, execution_id="e1")
    with pytest.raises(ClaimLost):
        claims.save_partial(session_id=session.pk, execution_id="e1", partial="{}")
    with pytest.raises(ClaimLost):
        claims.beat(session_id=session.pk, execution_id="e1", partial=None)


def test_a_released_claim_is_free(session: Session) -> None:
    take(session)
    assert claims.release(session_id=session.pk, execution_id="e1")
    assert take(session, "e2")


def test_a_claim_with_an_unread_compaction_flag_is_not_released(session: Session) -> None:
    take(session)
    set_row(session, compact_requested=True)
    assert not claims.release(session_id=session.pk, execution_id="e1")
    assert row(session).execution_id == "e1"


def test_cancel_flags_the_live_execution_only(session: Session) -> None:
    assert not claims.request_cancel(session_id=session.pk)
    take(session)
    assert claims.request_cancel(session_id=session.pk)
    assert claims.beat(session_id=session.pk, execution_id="e1", partial=None)
    set_row(session, lease_until_ms=1)
    assert not claims.request_cancel(session_id=session.pk)


def test_current_is_what_runs(session: Session) -> None:
    assert claims.current(session.pk) is None
    take(session)
    claims.save_partial(session_id=session.pk, execution_id="e1", partial='{"text": "a"}')
    assert claims.current(session.pk) == claims.LiveClaim("e1", "run", '{"text": "a"}', False)


@pytest.mark.parametrize(
    ("ahead_in_leases", "dead"), [(-0.1, True), (0.5, False), (1.5, False), (2.5, True)]
)
def test_a_lease_is_dead_when_past_or_too_far_ahead(
    session: Session, ahead_in_leases: float, dead: bool
) -> None:
    take(session)
    lease = row(session).lease_ms
    set_row(session, lease_until_ms=now_ms() + round(ahead_in_leases * lease))
    assert [claim.session_id for claim in claims.dead()] == ([session.pk] if dead else [])
    assert (claims.current(session.pk) is None) is dead


def test_a_dead_claim_is_buried_once(session: Session) -> None:
    take(session)
    set_row(session, lease_until_ms=1)
    (dead,) = claims.dead(session.pk)
    buried: list[bool] = []
    in_threads(4, lambda _: buried.append(claims.bury(dead)))
    assert sorted(buried) == [False, False, False, True]


def test_a_claim_renewed_meanwhile_is_not_buried(session: Session) -> None:
    take(session)
    set_row(session, lease_until_ms=1)
    (dead,) = claims.dead(session.pk)
    claims.fence(session_id=session.pk, execution_id="e1")
    assert not claims.bury(dead)


@pytest.fixture
def other_process(settings: object) -> Iterator[str]:
    """A process of this machine that holds a lock file and then dies; yields its holder name."""
    name = "other-process-for-tests"
    folder = Path(holder._folder())
    code = (
        "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX);"
        " print('held', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder / name)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    assert not holder.is_dead(name)
    process.kill()
    process.communicate()
    yield name
    (folder / name).unlink(missing_ok=True)


def test_a_holder_that_died_on_this_machine_is_dead_at_once(
    session: Session, other_process: str
) -> None:
    take(session)
    set_row(session, holder=other_process)
    assert [claim.session_id for claim in claims.dead()] == [session.pk]
    assert claims.current(session.pk) is None


def test_a_holder_of_another_machine_is_judged_by_its_lease(session: Session) -> None:
    take(session)
    set_row(session, holder="elsewhere")
    assert claims.dead() == []


def test_files_of_dead_holders_go_when_no_claim_names_them(other_process: str) -> None:
    path = holder._folder() / other_process
    holder.remove_dead({other_process})
    assert path.exists()
    holder.remove_dead(set())
    assert not path.exists()
    assert (holder._folder() / holder.name()).exists()


def test_our_own_file_stays_locked() -> None:
    handle = os.open(holder._folder() / holder.name(), os.O_RDWR)
    with pytest.raises(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(handle)
    assert not holder.is_dead(holder.name())


def test_threads_that_claim_first_at_once_agree_on_the_holder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for attribute, value in (("pid", 0), ("name", ""), ("handle", -1)):  # as in a new process
        monkeypatch.setattr(holder._Own, attribute, value)
    names: list[str] = []
    begin = threading.Barrier(8)

    def ask() -> None:
        begin.wait()
        names.append(holder.name())

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    os.close(holder._Own.handle)
    assert names == [names[0]] * 8
