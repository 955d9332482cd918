"""What the processes do that die, and those that come after them. Each is called by its name."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from agent.errors import SessionAlreadyRunning
from sessions_app import compactions, interruption, runs
from sessions_app.models import Claim, Message, ModelProfile, Session
from tests.kill.points import POINTS
from tests.kill.remains import remains

WINDOW = 16_000
TALK = 10  # rounds of a session that has something to compact
PROSE = "The reader opened the next file and noted what it says. " * 40

Tell = Callable[[Any], None]


def call(command: dict[str, Any], tell: Tell) -> Any:
    """Call the function of that name; it tells its session first, then counts places."""
    arguments = command.get("arguments", {})
    settings.LEASE_S = arguments.pop("lease", settings.LEASE_S)
    session_id = arguments.pop("session", 0) or new_session()
    tell(session_id)
    function: Callable[..., Any] = globals()[command["start"]]
    return function(session_id, _Arm(command["at"], command["signal"]), **arguments)


class _Arm:
    """From this call on places count."""

    def __init__(self, at: int, number: int) -> None:
        self._at, self._number = at, number

    def __call__(self) -> None:
        POINTS.arm(self._at, self._number)


def new_session() -> int:
    """A session that has talked a little, with two short files and a long one."""
    owner = User.objects.get_or_create(username="owner")[0]
    model = ModelProfile.objects.get_or_create(
        name="small",
        defaults={"provider": "rehearsal", "model_id": "rehearsal", "window_tokens": WINDOW},
    )[0]
    workspace: Path = settings.VAR / "workspaces" / "shared"
    workspace.mkdir(parents=True, exist_ok=True)
    for name, text in {"a.txt": "alpha", "b.txt": "beta", "long.txt": PROSE * 38}.items():
        (workspace / name).write_text(text)
    session = Session.objects.create(owner=owner, model=model, workspace=str(workspace))
    Claim.objects.create(session=session)
    for number in range(TALK):
        talk = [("user", f"wish {number}"), ("assistant", f"{number}: {PROSE}")]
        for role, content in talk:
            Message.objects.create(session=session, role=role, content=content)
    return session.pk


def wait() -> None:
    """Wait until everything that this process has begun is over."""
    for work in POINTS.works:
        work.result(timeout=50)


# -- those that die


def two_rounds(session_id: int, arm: Callable[[], None]) -> None:
    """A run with two tool rounds and an answer."""
    arm()
    runs.start(session_id=session_id, content="read a.txt\nread b.txt")
    wait()


def by_hand(session_id: int, arm: Callable[[], None]) -> None:
    """A compaction while the session is idle."""
    arm()
    compactions.request(session_id=session_id)
    wait()


def queued(session_id: int, arm: Callable[[], None]) -> None:
    """A run during which someone asks for a compaction."""
    arm()
    POINTS.between = lambda: _ask(session_id)
    runs.start(session_id=session_id, content="read a.txt")
    wait()


def _ask(session_id: int) -> None:
    compactions.request(session_id=session_id, instructions="the files")


def safety_net(session_id: int, arm: Callable[[], None]) -> None:
    """A run that ends over the line, and is compacted afterwards."""
    settings.COMPACTION_MID_LOOP = False
    arm()
    runs.start(session_id=session_id, content="read long.txt")
    wait()


def undo(session_id: int, arm: Callable[[], None]) -> None:
    """The undo of a compaction."""
    compactions.request(session_id=session_id)
    wait()
    arm()
    compactions.undo(session_id=session_id)


def sweep(session_id: int, arm: Callable[[], None]) -> int:
    """Clean up after a process that died."""
    arm()
    return interruption.sweep(session_id)


def next_message(session_id: int, arm: Callable[[], None], *, text: str = "go on") -> None:
    """Whatever happened before: the next message."""
    arm()
    runs.start(session_id=session_id, content=text)
    wait()


# -- those that come after


def look(session_id: int, arm: Callable[[], None]) -> Any:
    """What is stored."""
    return remains(session_id)


def survive(session_id: int, arm: Callable[[], None]) -> Any:
    """What was left; the same after the sweep, and after another message."""
    left = remains(session_id)
    buried = interruption.sweep(session_id)
    swept = remains(session_id)
    next_message(session_id, arm)
    return {"left": left, "buried": buried, "swept": swept, "after": remains(session_id)}


def expire(session_id: int, arm: Callable[[], None], *, seconds: float) -> Any:
    """The holder is unknown on this machine: sweeps at once and again until one buries it."""
    at_once = interruption.sweep(session_id)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if interruption.sweep(session_id):
            return {"at_once": at_once, "left_s": end - time.monotonic()}
        time.sleep(0.05)
    return {"at_once": at_once, "left_s": None}


def stream(session_id: int, arm: Callable[[], None], *, base_url: str) -> None:
    """A run whose model answers over HTTP."""
    model = ModelProfile.objects.create(
        name="wire", provider="openai", model_id="wire", base_url=base_url, window_tokens=WINDOW
    )
    Session.objects.filter(pk=session_id).update(model=model)
    runs.start(session_id=session_id, content="read long.txt")
    wait()


def compete(
    session_id: int, arm: Callable[[], None], *, what: str, start_at: float, event: str = ""
) -> Any:
    """Send or compact at a given time of the clock; how it was answered."""
    POINTS.pause = 0.02
    time.sleep(max(0.0, start_at - time.time()))
    try:
        if what == "send":
            text = event or f"rival {os.getpid()}"
            started = runs.start(session_id=session_id, content=text, event_id=event)
            answer = ["started", started.execution_id]
        else:
            accepted = compactions.request(session_id=session_id)
            answer = [accepted.status, accepted.execution_id]
    except SessionAlreadyRunning as refusal:
        answer = ["refused", refusal.execution_id]
    wait()
    return answer
