"""The outermost frame of an execution: whatever happens inside becomes one of four ends."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Literal

from agent.errors import AgentError, ClaimLost
from agent.phrases import Phrase
from sessions_app import partials
from sessions_app.heartbeat import beating

log = logging.getLogger(__name__)

INTERNAL_ERROR = Phrase("Something went wrong inside Vitrine; the log has the details.")
INTERNAL_CODE = "internal_error"


@dataclass(frozen=True, slots=True)
class End:
    """How the work ended; `lost`: the claim is someone else's, so nothing more may be written.

    `code` is that of the error, empty without one.
    """

    how: Literal["done", "cancelled", "failed", "lost"]
    error: str = ""
    code: str = ""


async def work_to_its_end(
    session_id: int, execution_id: str, work: Coroutine[Any, Any, None]
) -> End:
    """Do the work while its claim is kept alive. Raises nothing: the session must stay usable."""
    partials.speak(session_id, execution_id)
    try:
        async with beating(session_id, execution_id):
            await work
    except asyncio.CancelledError:
        return End("cancelled")
    except ClaimLost:
        log.warning("execution %s of session %s lost its claim", execution_id, session_id)
        return End("lost")
    except AgentError as problem:
        return End("failed", problem.user_message, problem.code)
    except Exception:
        log.exception("execution %s of session %s failed", execution_id, session_id)
        return End("failed", INTERNAL_ERROR, INTERNAL_CODE)
    finally:
        if partials.speaks(session_id, execution_id):
            partials.clear(session_id)
    return End("done")
