"""Writes sessions: create, change, delete."""

from contextlib import ExitStack
from typing import TypedDict

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404
from django.utils import timezone

from agent.errors import ConfigurationError, SessionAlreadyRunning
from agent.phrases import Phrase
from sessions_app import claims, selectors, stream, transactions, workspaces
from sessions_app.models import AgentProfile, Claim, ModelProfile, Session
from sessions_app.services.models import window_tokens
from sessions_app.stream import NewFrame


class SessionFields(TypedDict, total=False):
    """What may be set of a session, by column; valid already."""

    title: str
    model: ModelProfile
    agent_profile: AgentProfile | None
    workspace: str
    workspace_kind: str
    channel: str
    project_key: str
    permission_level: str
    memory_injection_disabled: bool
    language: str
    time_zone: str
    compaction_tier: str


def create(*, owner: User, fields: SessionFields) -> Session:
    """Make a session and, in the same transaction, its permanent claim row.

    What is not given: the default model, the configured tier, a new workspace folder of its own.
    Raises ConfigurationError when no model is offered.
    """
    model = fields.get("model") or selectors.default_model(selectors.offered_models())
    if model is None:
        raise ConfigurationError(Phrase("No model is offered: enable one in the admin."))
    values = {"compaction_tier": settings.COMPACTION_TIER, **fields, "model": model}

    def work() -> Session:
        session = Session.objects.create(owner=owner, window_tokens=window_tokens(model), **values)
        Claim.objects.create(session=session)
        return session

    with ExitStack() as undo:
        if "workspace" not in fields:
            folder = workspaces.create(owner_id=owner.pk)
            undo.callback(folder.rmdir)
            values["workspace"] = str(folder)
        session = transactions.run(work)
        undo.pop_all()
    return session


def update(*, session: Session, fields: SessionFields) -> Session:
    """Change the given fields and no others: what a run writes meanwhile stays. Returns it anew.

    Its other pages learn of the memory switch by its status, told again. Raises Http404 if it was
    deleted meanwhile.
    """
    changes = {**fields, "updated_at": timezone.now()}
    if "model" in fields and fields["model"] != session.model:
        # What another model measured says nothing about this one: the anchor is void.
        void = {"anchor_tokens": None, "anchor_message_id": None}
        changes |= {"window_tokens": window_tokens(fields["model"]), **void}

    def work() -> Session:
        if not Session.objects.filter(pk=session.pk).update(**changes):
            raise Http404(f"There is no session {session.pk}.")
        stored = Session.objects.select_related("model").get(pk=session.pk)
        if stored.memory_injection_disabled != session.memory_injection_disabled:
            stream.append(session.pk, [NewFrame("session_status", {"phase": stored.phase})])
        return stored

    return transactions.run(work)


def delete(*, session: Session) -> None:
    """Delete a session with all its rows. A workspace folder stays, also one that was made for it.

    Raises SessionAlreadyRunning during a run or compaction.
    """

    def work() -> None:
        Claim.objects.select_for_update().filter(session_id=session.pk).first()
        live = claims.current(session.pk)
        if live is not None:
            raise SessionAlreadyRunning(live.execution_id)
        Session.objects.filter(pk=session.pk).delete()

    transactions.run(work)
