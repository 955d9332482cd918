"""Gives a run the tool by which its model asks for room, and the memory of what was asked."""

from collections.abc import Awaitable, Callable

from django.conf import settings

from compaction_app import selectors, services
from compaction_app.compact_context import CompactContext, RegisteredTier
from compaction_app.intents import Intents
from compaction_app.teaching import Receipt, Teaching
from sessions_app import claims, transactions
from sessions_app.models import Run, Session
from sessions_app.run_loop import database

INTENTS = Intents()  # of all runs of this process


def teaching_of(session: Session, execution_id: str) -> Teaching:
    """The teaching of this execution. Reads the database."""
    before = Run.objects.filter(session_id=session.pk).exclude(execution_id=execution_id).first()
    return Teaching(
        session_id=session.pk,
        language=session.language,
        intents=INTENTS,
        tier=RegisteredTier(session.compaction_tier, _store_tier(session.pk, execution_id)),
        count=_counter(session.pk, execution_id),
        receipt=Receipt(
            selectors.report(session.pk).receipt, _store_receipt(session.pk, execution_id)
        ),
        briefed=services.knows_of_the_tool(
            session_id=session.pk, run_started_at=before.started_at if before else None
        ),
    )


def tool_of(teaching: Teaching) -> CompactContext:
    """The tool that feeds this teaching; offered whatever the automatic switches say."""
    return CompactContext(
        session_id=teaching.session_id,
        intents=teaching.intents,
        tier=teaching.tier,
        count=teaching.count,
        language=teaching.language,
        ratio=settings.COMPACTION_TRIGGER_RATIO,
    )


def _store_tier(session_id: int, execution_id: str) -> Callable[[str], Awaitable[None]]:
    def store(tier: str) -> None:
        Session.objects.filter(pk=session_id).update(compaction_tier=tier)

    return _fenced(session_id, execution_id, store)


def _store_receipt(session_id: int, execution_id: str) -> Callable[[str], Awaitable[None]]:
    def store(text: str) -> None:
        services.receipt_store(session_id=session_id, text=text)

    return _fenced(session_id, execution_id, store)


def _counter(session_id: int, execution_id: str) -> Callable[[str], Awaitable[None]]:
    def count(counter: str) -> None:
        services.report_count(session_id=session_id, counter=counter)

    return _fenced(session_id, execution_id, count)


def _fenced(
    session_id: int, execution_id: str, write: Callable[[str], None]
) -> Callable[[str], Awaitable[None]]:
    """The write in a transaction that begins with the claim's fence."""

    async def call(value: str) -> None:
        def work() -> None:
            claims.fence(session_id=session_id, execution_id=execution_id)
            write(value)

        await database(transactions.run, work)

    return call
