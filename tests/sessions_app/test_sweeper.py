import asyncio
import contextlib

import pytest
from pytest_django import Settings

from sessions_app import claims, run_loop, sweeper
from sessions_app.models import Claim, Session
from tests.sessions_app.running import types, wait_until

pytestmark = pytest.mark.usefixtures("runs_end")


def test_it_frees_a_dead_claim_within_its_interval(session: Session, settings: Settings) -> None:
    settings.SWEEP_INTERVAL_S = 0.05
    sweeping = run_loop.submit(sweeper.sweep_forever())
    claims.take(session_id=session.pk, execution_id="dead", kind=Claim.Kind.RUN)
    Claim.objects.filter(session=session).update(lease_until_ms=1)
    wait_until(lambda: not Claim.objects.get(session=session).execution_id)
    sweeping.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        run_loop.submit(asyncio.sleep(0.1)).result(5)
    assert "notice" in types(session)


def test_an_interval_of_zero_starts_nothing(settings: Settings) -> None:
    settings.SWEEP_INTERVAL_S = 0
    assert sweeper.start() is None
