"""The fault cases of loops and races that need a whole session: C09, C32a."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from agent.errors import EventIdReused, SessionAlreadyRunning
from agent.testing import check_pairs
from agent.tokens import TokenEstimator
from sessions_app import context, runs
from sessions_app.models import AgentProfile, Run, Session
from tests.sessions_app.compacting import users
from tests.sessions_app.running import frames, run, types, wait_idle, wire_model, write
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")
CASES = Path(__file__).parent.parent / "cases"


def case(name: str) -> Any:
    return json.loads((CASES / f"{name}.json").read_text())


@pytest.fixture
def overfull(make_session: Callable[..., Session], wire: Wire, settings: Settings) -> Session:
    """C09: the fixed part alone is over the line."""
    given = case("C09_loop")["input"]
    settings.COMPACTION_TRIGGER_RATIO = given["threshold"]
    profile = AgentProfile.objects.create(name="long")
    model = wire_model(wire.base_url, window_tokens=given["window"])
    session = make_session(model=model, agent_profile=profile)
    missing = given["fixed_tokens"] - context.load(session.pk, "").builder.floor
    AgentProfile.objects.update(persona="word " * missing)
    return session


def test_case_c09_a_fixed_part_over_the_line_never_loops(overfull: Session, wire: Wire) -> None:
    given, expect = (case("C09_loop")[key] for key in ("input", "expect"))
    floor = context.load(overfull.pk, "").builder.floor
    assert floor >= given["fixed_tokens"]
    (text,) = [message["content"] for message in given["messages"]]
    for turn in range(given["turns"]):
        usage = {"prompt_tokens": floor + 20 * turn, "completion_tokens": 5, "total_tokens": 5}
        wire.script({"text": f"answer {turn}", "usage": usage})
        run(overfull, text)
    seen = {
        "compactions": types(overfull).count("compaction_start"),
        "user_warned": len(frames(overfull, "notice")),
        "turns_answered": types(overfull).count("assistant_message_saved"),
    }
    assert seen == {"compactions": 0, "user_warned": 1, "turns_answered": 5}
    allowed = {check["check"]: check for check in expect}
    assert seen["compactions"] <= allowed["compactions"]["max"]
    assert seen["user_warned"] == allowed["user_warned"]["times"]
    assert seen["turns_answered"] == allowed["turns_answered"]["equals"]


SCRIPTS = {script["name"]: script["sends"] for script in case("C32a_race")["input"]["scripts"]}


@pytest.fixture
def busy(wired: Session, wire: Wire) -> Session:
    """C32a: the first message leads to three tool calls, whose round is followed by a slow one."""
    write(wired, "a.txt", "a")
    call = {"name": "read_file", "arguments": {"path": "a.txt"}}
    wire.script({"tool_calls": [call] * 3, "pause": 0.02}, {"text": "done", "delay": 0.5})
    return wired


def send(session: Session, sends: list[dict[str, Any]]) -> list[str]:
    """Do what the script says at its times; what was refused, by name."""
    refused, began = [], time.monotonic()
    for step in sends:
        time.sleep(max(0.0, began + step["at_ms"] / 1000 - time.monotonic()))
        if step.get("op") == "stop":
            runs.cancel(session_id=session.pk)
            continue
        try:
            runs.start(session_id=session.pk, content=step["text"], event_id=step["client_id"])
        except (SessionAlreadyRunning, EventIdReused) as refusal:
            refused.append(type(refusal).__name__)
    return refused


@pytest.mark.parametrize(
    ("name", "refused", "said"),
    [
        ("same_id_twice", [], ["hi"]),
        ("same_id_other_text", ["EventIdReused"], ["hi"]),
        ("send_while_tools_run", ["SessionAlreadyRunning"], ["run 3 tools"]),
        ("stop_while_tools_run", ["SessionAlreadyRunning"], ["run 3 tools"]),
    ],
)
def test_case_c32a_one_run_at_a_time_and_whole_pairs_after_each(
    busy: Session, name: str, refused: list[str], said: list[str]
) -> None:
    assert send(busy, SCRIPTS[name]) == refused
    wait_idle(busy)
    assert (Run.objects.count(), users(busy)) == (1, said)
    statuses = [frame["phase"] for frame in frames(busy, "session_status")]
    assert statuses[0::2] == ["RUNNING"] * len(statuses[0::2])
    check_pairs(context.conversation(busy, TokenEstimator()).history.messages())
    assert run(busy, "next").phase == "COMPLETED"
    check_pairs(context.conversation(busy, TokenEstimator()).history.messages())
