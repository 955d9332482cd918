"""Whoever has lost its claim writes nothing more, whatever it was about to write."""

from collections.abc import Awaitable, Callable

import pytest

from agent.errors import ClaimLost
from compaction_app.compactor import Order
from compaction_app.models import SessionCompactionReport
from compaction_app.policy import Trigger
from sessions_app import claims
from sessions_app.assembly import Execution, assemble
from sessions_app.models import Claim, Frame, Session
from sessions_app.run_loop import database

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("runs_end")]

Write = Callable[[Execution], Awaitable[object]]
WRITES: dict[str, Write] = {
    "a notice": lambda late: late.listener.notice("code", "text"),
    "a compaction's start": lambda late: late.gates.compactor.records.begun(
        Order(Trigger.TOOL, "light"), message_count=1, estimated_tokens=1
    ),
    "a counter": lambda late: late.loaded.teaching.count("tool_calls"),
    "a tier": lambda late: late.loaded.teaching.tier.register("heavy"),
}


@pytest.mark.parametrize("name", WRITES)
async def test_a_late_owner_writes_nothing(session: Session, name: str) -> None:
    late = await database(assemble, session.pk, "late")
    kind = Claim.Kind.RUN
    await database(claims.take, session_id=session.pk, execution_id="new", kind=kind)
    with pytest.raises(ClaimLost):
        await WRITES[name](late)
    assert await database(Frame.objects.count) == 0
    assert await database(SessionCompactionReport.objects.count) == 0
    await database(session.refresh_from_db)
    assert (session.compaction_tier, late.loaded.teaching.tier.value) == ("standard", "standard")
