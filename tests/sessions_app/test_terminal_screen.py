from typing import Any

import pytest

from sessions_app.terminal import outcomes
from sessions_app.terminal.screen import Screen


class Paper:
    """A screen whose text is kept."""

    def __init__(self) -> None:
        self.text = ""
        self.screen = Screen(self._put)

    def _put(self, text: str) -> None:
        self.text += text

    def show(self, type_: str, **data: Any) -> None:
        self.screen.show({"type": type_, "data": data})

    def delta(self, text: str, offset: int, request_id: int = 1) -> None:
        self.show("content_delta", delta=text, offset=offset, requestId=request_id)

    def saved(self, text: str, request_id: int = 1) -> None:
        self.show("assistant_message_saved", requestId=request_id, message={"content": text})


@pytest.fixture
def paper() -> Paper:
    return Paper()


def test_text_streams_and_is_not_shown_again_when_it_is_stored(paper: Paper) -> None:
    paper.delta("Hello", 0)
    paper.delta(" you", 5)
    paper.saved("Hello you")
    paper.delta(" you", 5)  # late
    assert paper.text == "Hello you\n"


def test_a_gap_is_filled_by_the_message(paper: Paper) -> None:
    paper.delta("Hello", 0)
    paper.delta("you", 6)
    paper.saved("Hello you")
    assert paper.text == "Hello you\n"


def test_a_message_without_deltas_is_shown_whole(paper: Paper) -> None:
    paper.delta("One", 0, request_id=1)
    paper.saved("One", request_id=1)
    paper.saved("Two", request_id=2)
    assert paper.text == "One\nTwo\n"


def test_a_retry_starts_the_answer_again(paper: Paper) -> None:
    paper.delta("Hel", 0)
    paper.show("llm_retry", reason="lost", attempt=1, maxRetries=4, delaySeconds=1.0)
    paper.delta("Hello", 0)
    paper.saved("Hello")
    assert paper.text == "Hel\n! lost; again in 1 s (1 of 4)\nHello\n"


def test_a_call_is_a_line_and_so_is_what_went_wrong(paper: Paper) -> None:
    call = {"tool_call_id": "a", "tool_name": "read_file"}
    paper.show("tool_call_start", **call, arguments='{"path":\n"a.py"}')
    paper.show("tool_call_result", **call, status="success", result="{}")
    paper.show("tool_call_result", **call, status="success", result="{}", result_truncated=True)
    paper.show("tool_call_result", **call, status="error", result='{"error": "no"}')
    assert paper.text == ('* read_file {"path": "a.py"}\n  output truncated\n  ! {"error": "no"}\n')


def test_a_compaction_is_two_lines(paper: Paper) -> None:
    who = {"executionId": "manual_compact_1"}
    paper.show(
        "compaction_start", triggerMode="manual", messageCount=4, estimatedTokens=9_000, **who
    )
    numbers = {"summaryTokens": 300, "savedTokens": 6_100, "durationMs": 1_500}
    paper.show("compaction_end", outcome="compacted", **numbers, **who)
    paper.show("compaction_result", outcome="compacted", message="The context...", **who)
    assert paper.text == (
        "* compacting 4 messages by hand, about 9,000 tokens ...\n"
        "  compacted: saved 6,100 tokens, the summary has 300, took 1.5 s\n"
    )


def test_a_dropped_one_is_told(paper: Paper) -> None:
    who = {"executionId": "e1"}
    paper.show("compaction_queued", queued=True, **who)
    paper.show("compaction_result", outcome="cancelled", message="It was cancelled.", **who)
    assert paper.text == "* the compaction comes at the end of this round\n* It was cancelled.\n"


def test_nothing_in_a_text_steers_the_terminal(paper: Paper) -> None:
    paper.delta("a\x1b[2J", 0)
    paper.saved("a\x1b[2J")
    paper.show("tool_call_start", tool_call_id="a", tool_name="x\x07", arguments="\x9b1m")
    assert paper.text == "a\u241b[2J\n* x\u2407 \u27e8U+009B\u27e91m\n"


def test_frames_without_a_line_are_not_shown(paper: Paper) -> None:
    paper.show("session_status", phase="RUNNING")
    paper.show("thinking_delta", delta="hm", offset=0, requestId=1)
    paper.show("message_end", prompt_tokens=1)
    assert paper.text == ""


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 messages"), (1, "1 message"), (2, "2 messages")]
)
def test_a_compaction_counts_its_messages_in_words(number: int, told: str) -> None:
    start = {"messageCount": number, "triggerMode": "manual", "estimatedTokens": 4_321}
    assert outcomes.started(start) == f"compacting {told} by hand, about 4,321 tokens ..."


@pytest.mark.parametrize(
    ("trigger", "words"),
    [
        ("request_start", "automatically before the request"),
        ("mid_loop", "automatically between rounds"),
        ("idle", "automatically after the run"),
        ("tool", "at the agent's request"),
    ],
)
def test_a_compaction_says_why_in_words(trigger: str, words: str) -> None:
    start = {"messageCount": 2, "triggerMode": trigger, "estimatedTokens": 9}
    assert outcomes.started(start) == f"compacting 2 messages {words}, about 9 tokens ..."


def test_how_a_compaction_ended_is_said_in_words() -> None:
    assert outcomes.ended({"outcome": "conflict"}) == "another one was faster"
