"""What happens to executions that died: the run is marked INTERRUPTED, visibly; nothing is run
again.
"""

from functools import partial

import orjson
from django.utils import timezone

from agent.messages import Message
from agent.phrases import Phrase
from compaction_app.policy import Outcome
from sessions_app import claims, endings, holder, selectors, stream, transactions
from sessions_app.compaction_frames import result_frame
from sessions_app.models import Claim, Run, Session
from sessions_app.services import transcript
from sessions_app.spoken import spoken
from sessions_app.stream import NewFrame

NOTE = Phrase("The run was interrupted: its process ended. What was shown as done is kept.")
PROCESS_ENDED = Phrase("Its process ended.")


def sweep(session_id: int | None = None) -> int:
    """Bury the dead claims of one session or of all; the number buried."""
    dead = claims.dead(session_id)
    return sum(transactions.run(partial(_interrupt, row)) for row in dead)


def sweep_files() -> None:
    """Delete lock files of ended processes that nothing refers to."""
    in_use = Claim.objects.exclude(execution_id="").values_list("holder", flat=True)
    holder.remove_dead(set(in_use))


def _interrupt(row: Claim) -> bool:
    if not claims.bury(row):
        return False
    frames = [
        *_keep_partial(row),
        *_missing_start(row),
        *endings.open_compaction_end(row.session_id, row.execution_id),
        *endings.dropped_click(row.session_id, row.execution_id, flagged=row.compact_requested),
        *_end_run(row),
    ]
    stream.append(row.session_id, frames, execution_id=row.execution_id)
    return True


def _keep_partial(row: Claim) -> list[NewFrame]:
    """The text that was streaming when the process died becomes a message, marked."""
    streamed = orjson.loads(row.partial) if row.partial else {}
    if not streamed.get("text"):
        return []
    message = transcript.assistant_message_create(
        session_id=row.session_id,
        execution_id=row.execution_id,
        message=Message(role="assistant", content=streamed["text"]),
        metadata={"interrupted": True},
    )
    return [transcript.assistant_message_frame(message, request_id=streamed.get("requestId"))]


def _missing_start(row: Claim) -> list[NewFrame]:
    """Of an idle compaction that died before it could say that it starts."""
    if row.kind != Claim.Kind.COMPACTION:
        return []
    return endings.missing_start(
        row.session_id,
        row.execution_id,
        Outcome.FAILED,
        endings.INTERRUPTED,
        endings.INTERRUPTED_CODE,
    )


def _end_run(row: Claim) -> list[NewFrame]:
    language = selectors.language(row.session_id)
    if row.kind == Claim.Kind.COMPACTION:
        return [result_frame(Outcome.FAILED, language, PROCESS_ENDED)]
    if row.kind == Claim.Kind.SETTLING:  # it had answered
        return _phase(row, Session.Phase.COMPLETED)
    note = spoken(NOTE, language)
    notice = NewFrame("notice", {"code": "run_interrupted", "message": note})
    return [notice, *_phase(row, Session.Phase.INTERRUPTED, note)]


def _phase(row: Claim, phase: Session.Phase, error: str = "") -> list[NewFrame]:
    Run.objects.filter(session_id=row.session_id, execution_id=row.execution_id).update(
        phase=phase, error=error, ended_at=timezone.now()
    )
    Session.objects.filter(pk=row.session_id).update(phase=phase, updated_at=timezone.now())
    status = {"phase": phase.value, "error": error} if error else {"phase": phase.value}
    return [NewFrame("session_status", status)]
