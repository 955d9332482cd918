"""Starts runs and compactions in tests and waits for their end."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from agent.tokens import TokenEstimator
from sessions_app import claims, compactions, runs
from sessions_app.models import Frame, Message, ModelProfile, Session

WAIT_S = 30.0
LONGEST_PAUSE_S = 0.08


def wait_until(condition: Callable[[], Any], seconds: float = WAIT_S) -> Any:
    """What the condition gives once it is true; AssertionError after `seconds`."""
    end, pause = time.monotonic() + seconds, 0.01
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)  # looking costs time that the run needs
    return value


def wait_idle(session: Session) -> Session:
    """The session as stored once nothing runs."""
    wait_until(lambda: claims.current(session.pk) is None)
    session.refresh_from_db()
    return session


def run(session: Session, text: str, event_id: str = "") -> Session:
    """Run one message to its end."""
    runs.start(session_id=session.pk, content=text, event_id=event_id)
    return wait_idle(session)


def compact(session: Session, **request: str) -> compactions.Accepted:
    """Compact by hand and wait for the end."""
    accepted = compactions.request(session_id=session.pk, **request)
    wait_idle(session)
    return accepted


def frames(session: Session, *types: str) -> list[dict[str, Any]]:
    """The stored frames' {type, data}, of these types or all."""
    rows = Frame.objects.filter(session=session).order_by("seq")
    found = [orjson.loads(row.text) for row in rows]
    return [{"type": f["type"], **f["data"]} for f in found if not types or f["type"] in types]


def types(session: Session) -> list[str]:
    """The types of all stored frames."""
    return [frame["type"] for frame in frames(session)]


def said(session: Session) -> list[tuple[str, str]]:
    """(role, content) of the stored messages."""
    rows = Message.objects.filter(session=session).order_by("id")
    return list(rows.values_list("role", "content"))


def wire_model(base_url: str, **fields: Any) -> ModelProfile:
    """A model that is served by the wire server."""
    defaults = {
        "provider": "openai",
        "model_id": "wire-1",
        "base_url": base_url,
        "window_tokens": 128_000,
        "max_output_tokens": 1_000,
    }
    return ModelProfile.objects.create(name="wire", **{**defaults, **fields})


def write(session: Session, name: str, text: str) -> None:
    """A file in the session's workspace."""
    path = Path(session.workspace) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def wire_tokens(message: dict[str, Any]) -> int:
    """An independent count of a message as it stands on the wire."""
    count = TokenEstimator().text
    calls = [call["function"] for call in message.get("tool_calls", [])]
    spoken = count(message.get("content") or "")
    return 4 + spoken + sum(8 + count(c["name"]) + count(c["arguments"]) for c in calls)
