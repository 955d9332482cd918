"""Puts the parts of an execution together: client, tools, listener, compactor, gates, loop."""

import logging
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from agent.loop import AgentLoop, Limits
from agent.prompt.handoff import wrap_handoff
from agent.tools.executor import ToolExecutor
from agent.tools.round_budget import RoundBudget
from compaction_app import services as compaction_services
from compaction_app.at_hand import RequestAtHand
from compaction_app.compact_context import TOOL_NAME
from compaction_app.compactor import Compactor
from compaction_app.gates import AutomaticSettings, CompactionGates, ManualRequest
from compaction_app.models import SessionCompaction
from compaction_app.summariser import Summariser
from sessions_app import claims, context, model_clients, transactions
from sessions_app.compaction_records import CompactionRecords
from sessions_app.context import RunContext
from sessions_app.listener import RunListener
from sessions_app.models import Frame, ModelProfile
from sessions_app.run_loop import database
from sessions_app.services.models import ResolvedModel, resolve
from sessions_app.spoken import speaker

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClaimSignals:
    """The `Signals` of a run: flags on its claim row."""

    session_id: int
    execution_id: str

    async def take_manual(self) -> ManualRequest | None:
        """The queued `compact_now`, read once."""

        def work() -> ManualRequest | None:
            row = claims.take_compact_flag(
                session_id=self.session_id, execution_id=self.execution_id
            )
            return ManualRequest(row.compact_instructions, row.compact_tier) if row else None

        return await database(transactions.run, work, patient=True)


@dataclass(frozen=True, slots=True)
class Execution:
    """One run or idle compaction, put together."""

    loaded: RunContext
    listener: RunListener
    gates: CompactionGates

    def loop(self) -> AgentLoop:
        """The loop of a run."""
        window = self.loaded.model.spec.window_tokens
        count = self.loaded.builder.estimator.text
        return AgentLoop(
            client=model_clients.client_for(self.loaded.model),
            tools=ToolExecutor(
                self.loaded.tools, budget=RoundBudget(window // 2, count) if window else None
            ),
            listener=self.listener,
            gates=self.gates,
            builder=self.loaded.builder,
            conversation=self.loaded.conversation,
            limits=Limits(rounds=settings.MAX_ROUNDS),
        )


def assemble(session_id: int, execution_id: str) -> Execution:
    """Load the session and put its execution together. Reads the database and the workspace."""
    loaded = context.load(session_id, execution_id)
    say = speaker(loaded.session.language)
    listener = RunListener(
        session_id=session_id,
        execution_id=execution_id,
        tokenizer=loaded.builder.estimator.vocabulary,
        occupancy=loaded.occupancy,
        say=say,
        injections=loaded.injections,
    )
    compactor = Compactor(
        builder=loaded.builder,
        summariser=_summariser(loaded.model),
        records=CompactionRecords(
            listener=listener,
            at_hand=RequestAtHand(
                loaded.builder,
                loaded.occupancy,
                loaded.teaching,
                settings.COMPACTION_TRIGGER_RATIO,
            ),
            load=lambda: context.conversation(loaded.session, loaded.builder.estimator),
        ),
        language=loaded.session.language,
        asking_tool=TOOL_NAME,
        say=say,
        wrap=partial(wrap_handoff, language=loaded.session.language),
    )
    row = SessionCompaction.objects.filter(session_id=session_id).first()
    compactor.newest_id = row.newest_msg_id if row else None
    gates = CompactionGates(
        compactor=compactor,
        occupancy=loaded.occupancy,
        listener=listener,
        signals=ClaimSignals(session_id, execution_id),
        settings=AutomaticSettings(
            enabled=settings.COMPACTION_ENABLED,
            mid_loop=settings.COMPACTION_MID_LOOP,
            ratio=settings.COMPACTION_TRIGGER_RATIO,
        ),
        teaching=loaded.teaching,
        last=compaction_services.last_automatic(session_id),
        warn_floor=not _told_of_floor(session_id),
    )
    return Execution(loaded, listener, gates)


def _summariser(model: ResolvedModel) -> Summariser:
    """COMPACTION_MODEL, where it names an enabled model, else the session's own."""
    name = settings.COMPACTION_MODEL
    other = ModelProfile.objects.filter(name=name, enabled=True).first() if name else None
    if name and other is None:
        log.warning("COMPACTION_MODEL=%r is no enabled model; the session's own is taken", name)
    writer = resolve(other) if other else model
    return Summariser(
        client=model_clients.client_for(writer),
        spec=writer.spec,
        max_tokens=settings.COMPACTION_MAX_SUMMARY_TOKENS,
    )


def _told_of_floor(session_id: int) -> bool:
    """Once a session: the page shows the numbers for as long as it is so."""
    notices = Frame.objects.filter(session_id=session_id, type="notice")
    return notices.filter(text__contains='"floor_over_line"').exists()
