"""A compaction without its model call, and what loading a session costs."""

import statistics
import time
from collections.abc import AsyncGenerator
from dataclasses import replace

from agent.messages import ModelResponse, StreamEvent, Usage
from agent.request import ModelRequest
from agent.tokens import TokenEstimator
from benchmarks import database  # first of what needs Django: it chooses the database
from benchmarks.figures import Figure, at_most, hand_over
from benchmarks.measure import ratio
from compaction_app.compactor import Order, Report
from compaction_app.models import SessionCompaction
from compaction_app.policy import Outcome, Trigger
from sessions_app import context, run_loop, selectors, session_snapshot
from sessions_app.assembly import Execution, assemble
from sessions_app.models import Message, Session

LARGE, TAIL = 10_000, 1_000
EXECUTION = "bench"
TIMES = 5
COLUMNS = ("id", "role", "content", "tool_calls", "tool_call_id", "tool_name", "metadata", "tokens")


class Instant:
    """A model that has its handoff ready."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """One handoff, whatever is asked."""
        del request
        yield ModelResponse(text="<handoff>All so far.</handoff>", usage=Usage(1, 1, 0))


async def compact(execution: Execution) -> Report:
    """Decision, range, summary request, check of the reply, commit, the rest loaded again."""
    conversation = execution.loaded.conversation
    execution.gates.over_line(conversation)
    order = Order(Trigger.MANUAL, "light", smallest=True)
    report, _ = await execution.gates.compactor.compact(conversation, order, before=1)
    return report


def compaction_s(session: Session) -> float:
    """CPU seconds of one compaction in a run that has sent a request; undone afterwards."""
    before = SessionCompaction.objects.filter(session=session).first()
    database.take_claim(session, EXECUTION)
    execution = assemble(session.pk, EXECUTION)
    compactor = execution.gates.compactor
    summariser = replace(compactor.summariser, client=Instant())
    compactor.writer = replace(compactor.writer, summariser=summariser)
    execution.loaded.builder.build(execution.loaded.conversation)
    started = time.process_time()
    report = run_loop.submit(compact(execution)).result()
    spent = time.process_time() - started
    assert report.outcome == Outcome.COMPACTED, report
    SessionCompaction.objects.filter(session=session).delete()
    if before is not None:
        before.save(force_insert=True)
    return spent


def compacting() -> list[Figure]:
    """10,000 messages at once; then 1,000 of them, with 9,000 below the boundary and without."""
    large, short = database.session(LARGE), database.session(TAIL)
    deep = database.session(LARGE, below=LARGE - TAIL)
    large_s = statistics.median(compaction_s(large) for _ in range(TIMES))
    pairs = [(compaction_s(deep), compaction_s(short)) for _ in range(TIMES)]
    growth = statistics.median(with_archive / alone for with_archive, alone in pairs)
    return [
        at_most("compaction of 10,000 messages without the model call", 50, large_s * 1_000, " ms"),
        at_most("growth of a compaction with 9,000 messages below the boundary", 1.2, growth),
    ]


def opening() -> list[Figure]:
    """What a page needs at first, and what a run needs, against plain queries."""
    session = database.session(LARGE)
    rows = Message.objects.filter(session=session).order_by("id")
    estimator = TokenEstimator()

    def counters() -> object:
        found = Session.objects.get(pk=session.pk)
        return session_snapshot.snapshot(session.pk), selectors.context(found)

    return [
        at_most(
            "opening a session: its counters against the query of (tokens, role)",
            2,
            ratio(counters, lambda: list(rows.values_list("tokens", "role"))),
        ),
        at_most(
            "loading 10,000 messages for a run against the query of their columns",
            2,
            ratio(
                lambda: context.conversation(session, estimator),
                lambda: list(rows.values_list(*COLUMNS)),
                rounds=5,
            ),
        ),
    ]


if __name__ == "__main__":
    database.prepare()
    hand_over([*compacting(), *opening()])
