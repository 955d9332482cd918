from collections.abc import Callable, Iterable

import pytest

from sessions_app import compactions, runs
from sessions_app.models import Claim, Session
from sessions_app.terminal.chat import Chat, LeftEarly
from sessions_app.terminal.feed import Feed
from sessions_app.terminal.screen import Screen
from tests.sessions_app.compacting import HANDOFF, HANGING, users
from tests.sessions_app.interrupting import ctrl_c_when
from tests.sessions_app.running import run, types, wait_idle, wait_until, write
from tests.wire.fixture import Wire

pytestmark = pytest.mark.usefixtures("runs_end")
LEVEL = "of 20.0k tokens"


def chat(session: Session, typed: Iterable[str | Callable[[], str]]) -> str:
    """What the terminal showed; a line that is a function is called, and what it gives is typed."""
    shown: list[str] = []
    lines = iter(typed)

    def read() -> str:
        for line in lines:
            return line if isinstance(line, str) else line()
        raise EOFError

    with Feed(session.pk) as feed:
        Chat(feed, Screen(shown.append), read).run()
    return "".join(shown)


def test_an_answer_is_shown_with_its_calls_and_the_water_level(wired: Session, wire: Wire) -> None:
    write(wired, "a.txt", "content")
    call = {"name": "read_file", "arguments": {"path": "a.txt"}}
    wire.script({"text": "I look.", "tool_calls": [call]}, {"text": "It says content."})
    lines = chat(wired, ["read it", "", "/quit", "never"]).splitlines()
    assert lines[:3] == ["I look.", '* read_file {"path": "a.txt"}', "It says content."]
    assert LEVEL in lines[3]
    assert len(lines) == 4
    assert users(wired) == ["read it"]


def test_ctrl_c_cancels_the_run_and_the_chat_goes_on(wired: Session, wire: Wire) -> None:
    wire.script({"text": "slowly, slowly", "hang_after": 2}, {"text": "Here."})
    with ctrl_c_when(lambda: len(wire.requests()) == 1 and "context_window" in types(wired)):
        text = chat(wired, ["wait", "again"])
    assert "* cancelled\n" in text
    assert "Here.\n" in text
    assert users(wired) == ["wait", "again"]


def test_a_second_ctrl_c_leaves_at_once(wired: Session, wire: Wire) -> None:
    wire.script({"text": "slowly, slowly", "hang_after": 2})
    with (
        ctrl_c_when(lambda: len(wire.requests()) == 1),
        ctrl_c_when(lambda: Claim.objects.filter(cancel_requested=True).exists()),
        pytest.raises(LeftEarly),
    ):
        chat(wired, ["wait"])
    assert wait_idle(wired).phase == "CANCELLED"


def test_compact_is_done_and_its_wish_passed_on(talked: Session, wire: Wire) -> None:
    wire.script(HANDOFF)
    text = chat(talked, ["/compact the retries"])
    assert "* compacting 4 messages by hand, about " in text
    assert "  compacted: saved " in text
    assert wire.requests()[-1].body["messages"][-1]["content"].endswith("the retries")


def test_what_is_no_command_is_said(wired: Session) -> None:
    text = chat(wired, ["/foo bar", f"/compact {'x' * 2_001}", "x" * 200_001])
    assert "/foo is not known; allowed: /compact [WHAT TO ATTEND TO], /quit\n" in text
    assert "! Too long; allowed: at most 2000 characters.\n" in text
    assert "! Too long; allowed: at most 200000 characters.\n" in text
    assert types(wired) == []


def test_a_refusal_is_told(talked: Session, wire: Wire) -> None:
    wire.script(HANGING)

    def meanwhile() -> str:
        compactions.request(session_id=talked.pk)
        return "hello"

    def afterwards() -> str:
        runs.cancel(session_id=talked.pk)
        return ""

    text = chat(talked, [meanwhile, afterwards])
    assert "! The session is busy: another run or compaction is in progress.\n" in text
    wait_idle(talked)


def test_what_others_say_meanwhile_is_shown_before_the_next_line(
    wired: Session, wire: Wire
) -> None:
    wire.script({"text": "For the page."})

    def meanwhile() -> str:
        run(wired, "from the page")
        return ""

    assert "> from the page\nFor the page.\n" in chat(wired, [meanwhile])


def test_a_run_in_progress_is_followed_first(wired: Session, wire: Wire) -> None:
    wire.script({"text": "One two three four five six.", "pause": 0.1})
    runs.start(session_id=wired.pk, content="count")
    wait_until(lambda: "context_window" in types(wired))
    text = chat(wired, [])
    assert text.startswith("One two three four five six.\n")
    assert LEVEL in text
