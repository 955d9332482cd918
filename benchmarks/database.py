"""A database of its own in a temporary folder, and long sessions in it."""

import atexit
import os
import shutil
import tempfile

import django

var = tempfile.mkdtemp(prefix="vitrine-bench-")
atexit.register(shutil.rmtree, var, ignore_errors=True)
os.environ.update(
    DJANGO_SETTINGS_MODULE="config.settings",
    VAR_DIR=var,
    DATABASE_URL=f"sqlite:///{var}/bench.sqlite3",
    LOG_LEVEL="ERROR",
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402 - needs the environment above
from django.core.management import call_command  # noqa: E402

from agent.messages import Message as CoreMessage  # noqa: E402
from benchmarks.workload import messages  # noqa: E402
from compaction_app.models import SessionCompaction  # noqa: E402
from sessions_app import holder, run_loop  # noqa: E402
from sessions_app.assembly import assemble  # noqa: E402
from sessions_app.database_clock import DatabaseNow  # noqa: E402
from sessions_app.models import Claim, Message, ModelProfile, RequestLog, Session  # noqa: E402
from sessions_app.services import sessions  # noqa: E402

WINDOW = 4_000_000  # 10,000 messages have to fit
BATCH = 1_000
EXECUTION = "bench"
HOURS_MS = 10_000_000


def prepare() -> None:
    """Make the tables."""
    call_command("migrate", verbosity=0)


def session(count: int, *, below: int = 0) -> Session:
    """A session with the workload's first messages, of which `below` are compacted already."""
    owner = User.objects.get_or_create(username="bench")[0]
    model = ModelProfile.objects.get_or_create(
        name="bench",
        defaults={"provider": "rehearsal", "model_id": "bench", "window_tokens": WINDOW},
    )[0]
    made = sessions.create(owner=owner, fields={"model": model, "title": f"{count} messages"})
    rows = [_row(made, message) for message in messages(count)]
    Message.objects.bulk_create(rows, batch_size=BATCH)
    if below:
        ends = [row.pk for row in rows if row.role == "assistant" and not row.tool_calls]
        boundary = max(pk for pk in ends if pk <= rows[below].pk)
        SessionCompaction.objects.create(
            session=made,
            summary_text="What was done so far.",
            last_compacted_msg_id=boundary,
            compact_count=1,
        )
    return made


def _row(session: Session, message: CoreMessage) -> Message:
    return Message(
        session=session,
        role=message.role,
        content=message.content,
        tool_calls=[
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ],
        tool_call_id=message.tool_call_id,
        tool_name=message.tool_name,
        tokens=message.tokens,
        tokenizer="o200k_base",
    )


def log_requests(session: Session) -> None:
    """One request for each answer of the session, as its runs would have left them."""
    take_claim(session, EXECUTION)
    execution = assemble(session.pk, EXECUTION)
    request = execution.loaded.builder.build(execution.loaded.conversation)
    pk = run_loop.submit(execution.listener.request_started(request)).result()
    first = RequestLog.objects.get(pk=pk)
    answers = Message.objects.filter(session=session, role="assistant").order_by("id")
    RequestLog.objects.bulk_create(
        RequestLog(
            session=session,
            execution_id=EXECUTION,
            model_name=first.model_name,
            estimated=first.estimated,
            actual=first.estimated,
            output_tokens=tokens,
            duration_ms=1_000,
            stop_reason="stop",
            manifest=first.manifest,
            parts=first.parts,
            first_message_id=first.first_message_id,
            last_message_id=answer_id - 1,
        )
        for answer_id, tokens in answers.values_list("id", "tokens")
    )


def take_claim(session: Session, execution_id: str) -> None:
    """As a run or compaction would, for hours."""
    Claim.objects.filter(session=session).update(
        execution_id=execution_id,
        kind="compaction",
        holder=holder.name(),
        lease_ms=HOURS_MS,
        lease_until_ms=DatabaseNow() + HOURS_MS,
    )


def release_claim(session: Session) -> None:
    """Nothing runs any more."""
    Claim.objects.filter(session=session).update(execution_id="", kind="")
