"""Loads what a run needs, once, at its start: settings, history, summary, memories, the workspace's
rules.
"""

import datetime
import logging
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DatabaseError

from agent.errors import ConfigurationError
from agent.history import Conversation, History
from agent.occupancy import Occupancy
from agent.phrases import Phrase
from agent.prompt.context import MemoryHint, PromptContext
from agent.prompt.engine import PromptEngine, default_sections
from agent.prompt.handoff import wrap_handoff
from agent.prompt.labels import labels
from agent.prompt.workspace import read_workspace
from agent.protocols import Tool
from agent.request import RequestBuilder
from agent.tokens import TokenEstimator
from agent.tools.paths import Workspace
from compaction_app.models import SessionCompaction
from compaction_app.teaching import Teaching
from memory_app.section import Injection, MemoriesSection, injections
from memory_app.selectors import memories_for_injection
from sessions_app import request_parts, selectors
from sessions_app.context_tool import teaching_of
from sessions_app.models import Message, ModelProfile, RequestLog, Session
from sessions_app.services import transcript
from sessions_app.services.models import ResolvedModel, resolve

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunContext:
    """Everything of a session that its run works with; fixed, but for the history that grows."""

    session: Session
    model: ResolvedModel
    tools: tuple[Tool, ...]
    builder: RequestBuilder
    conversation: Conversation
    occupancy: Occupancy
    teaching: Teaching
    injections: tuple[Injection, ...] = ()
    memory_error: Phrase | None = None


def load(session_id: int, execution_id: str) -> RunContext:
    """Load it from database and workspace, for this execution. Raises ConfigurationError for an
    unusable model.
    """
    from sessions_app.run_tools import run_tools  # noqa: PLC0415 - not before the first run

    session = Session.objects.select_related("owner", "model", "agent_profile").get(pk=session_id)
    model = resolve(model_of(session))
    workspace = workspace_of(session)
    teaching = teaching_of(session, execution_id)
    tools = run_tools(session, execution_id, workspace, teaching)
    memories, memory_error = _memories(session)
    estimator = TokenEstimator(model.spec.tokenizer)
    prompt = prompt_context(session, workspace, tools, memories)
    builder = RequestBuilder(
        spec=model.spec,
        estimator=estimator,
        parts=PromptEngine(default_sections(MemoriesSection())).parts(prompt),
        tools=tuple(tool.definition for tool in tools),
        labels=labels(session.language),
        memory_ids=tuple(memory.id for memory in memories),
        compact_at_tokens=compaction_line(model.spec.window_tokens),
    )
    return RunContext(
        session=session,
        model=model,
        tools=tools,
        builder=builder,
        conversation=conversation(session, estimator),
        occupancy=_occupancy(session, builder),
        teaching=teaching,
        injections=injections(session.language, memories, estimator.section),
        memory_error=memory_error,
    )


def model_of(session: Session) -> ModelProfile:
    """The session's model, or the default where its row is gone. Raises ConfigurationError."""
    profile = session.model or selectors.default_model(selectors.offered_models())
    if profile is None:
        raise ConfigurationError(Phrase("No model is offered: enable one in the admin."))
    return profile


def workspace_of(session: Session) -> Workspace:
    """The session's folder as its tools see it: without the server's own data."""
    return Workspace(
        Path(session.workspace), hidden=(settings.VAR,), shown=(settings.VAR / "workspaces",)
    )


def compaction_line(window: int | None) -> int | None:
    """The line: floor(window x trigger ratio) in tokens; None where nothing acts at it, for an
    unknown window or with COMPACTION_ENABLED=0.
    """
    if window is None or not settings.COMPACTION_ENABLED:
        return None
    return int(window * settings.COMPACTION_TRIGGER_RATIO)


def prompt_context(
    session: Session,
    workspace: Workspace,
    tools: tuple[Tool, ...],
    memories: tuple[MemoryHint, ...],
) -> PromptContext:
    """What the sections of this session's prompt are made of."""
    profile = session.agent_profile or selectors.default_agent_profile(session.owner)
    lines = profile.experiences.splitlines() if profile else []
    return PromptContext(
        language=session.language,
        channel=session.channel,
        workspace_kind=session.workspace_kind,
        date=datetime.datetime.now(ZoneInfo(session.time_zone)).date(),
        workspace=read_workspace(workspace),
        persona=profile.persona if profile else "",
        experiences=tuple(line.strip() for line in lines if line.strip()),
        memories=memories,
        tool_names=tuple(tool.definition.name for tool in tools),
    )


def _memories(session: Session) -> tuple[tuple[MemoryHint, ...], Phrase | None]:
    """The memories to inject, or none and why: a run never fails because they can't be loaded."""
    if session.memory_injection_disabled:
        return (), None
    try:
        found = memories_for_injection(owner_id=session.owner_id, project_key=session.project_key)
    except DatabaseError as error:
        log.exception("memories of session %s not loaded", session.pk)
        return (
            (),
            Phrase(
                "Memories could not be loaded (%(error)s); the run goes on without.",
                error=type(error).__name__,
            ),
        )
    return found, None


def _occupancy(session: Session, builder: RequestBuilder) -> Occupancy:
    """The anchor; it covers nothing where model, tools or system prompt are no longer the same."""
    last = RequestLog.objects.filter(session_id=session.pk, kind=RequestLog.Kind.RUN).first()
    same = (
        last is not None
        and last.model_name == builder.spec.name
        and request_parts.fixed_hashes(last.parts) == request_parts.builder_hashes(builder)
    )
    covered = session.anchor_message_id if same else None
    return Occupancy(session.anchor_tokens, covered, builder.spec.calibration)


def conversation(session: Session, estimator: TokenEstimator) -> Conversation:
    """The session's summary and its messages after the boundary, as they are now."""
    compaction = SessionCompaction.objects.filter(session_id=session.pk).first()
    boundary = compaction.last_compacted_msg_id if compaction else None
    summary = compaction.summary_text if compaction else ""
    rows = Message.objects.filter(session_id=session.pk, id__gt=boundary or 0).order_by("id")
    messages = transcript.core_messages(rows, tokenizer=estimator.vocabulary)
    return Conversation(
        history=History(estimator, messages),
        summary=summary,
        handoff=wrap_handoff(summary, session.language),
        boundary_id=boundary,
    )
