from datetime import UTC, datetime, timedelta
from typing import Any

from compaction_app.models import SessionCompactionEvent
from sessions_app.models import Message
from sessions_app.page.entries import (
    TEXT_CHARS,
    Conversation,
    Entry,
    Incident,
    Material,
    Outcome,
    Said,
    conversation,
    said,
)
from sessions_app.page.past_compactions import Past
from sessions_app.page.tool_card import ToolCard

START = datetime(2026, 11, 30, tzinfo=UTC)


def row(id_: int, role: str, *, run: str = "e1", calls: str = "", of: str = "") -> Message:
    return Message(
        id=id_,
        role=role,
        content=f"text {id_}",
        execution_id=run,
        tool_calls=[{"id": one, "name": "tool", "arguments": "{}"} for one in calls.split()],
        tool_call_id=of,
        tool_name="tool",
        metadata={},
        created_at=START + timedelta(seconds=id_),
    )


def brief(entries: list[Entry]) -> list[str]:
    return [_brief(entry) for entry in entries]


def event(outcome: str, seconds: float) -> SessionCompactionEvent:
    at = START + timedelta(seconds=seconds)
    return SessionCompactionEvent(outcome=outcome, trigger_mode="manual", created_at=at)


def _brief(entry: Entry) -> str:
    shown = entry.shown
    if isinstance(shown, Past):
        return f"{entry.kind} {shown.event.outcome}"
    if isinstance(shown, Said):
        return f"{entry.kind} {shown.message.pk}" + f" round {shown.round}" * (entry.kind != "user")
    if isinstance(shown, ToolCard):
        return f"{shown.call_id} {shown.state}"
    return shown.phase if isinstance(shown, Outcome) else shown.kind


def walk(*rows: Message, **fields: Any) -> tuple[list[str], list[str]]:
    shown: Conversation = conversation(Material(list(rows), **fields))
    return brief(shown.entries), brief(shown.tail)


ROUND = (row(1, "user"), row(2, "assistant", calls="a b"), row(3, "tool", of="a"))


def test_a_round_is_shown_in_order() -> None:
    rows = (*ROUND, row(4, "tool", of="b"), row(5, "assistant"))
    entries = ["user 1", "assistant 2 round 1", "a done", "b done", "assistant 5 round 2"]
    assert walk(*rows) == (entries, [])


def test_an_open_call_of_a_live_run_is_running() -> None:
    assert walk(*ROUND, live="e1")[1] == ["b running"]


def test_an_open_call_of_a_run_that_ended_is_lost() -> None:
    outcomes = {"e1": Outcome("INTERRUPTED")}
    assert walk(*ROUND, outcomes=outcomes)[1] == ["b lost", "INTERRUPTED"]


def test_what_stood_at_the_end_stays_where_it_was_when_the_next_run_begins() -> None:
    outcomes = {"e1": Outcome("CANCELLED"), "e2": Outcome("RUNNING")}
    entries, tail = walk(*ROUND, row(4, "user", run="e2"), outcomes=outcomes, live="e2")
    assert entries[3:] == ["b lost", "CANCELLED", "user 4"]
    assert tail == []


def test_rows_before_the_start_pair_but_are_not_shown() -> None:
    assert walk(*ROUND, row(4, "tool", of="b"), start=4) == (["b done"], [])


def test_what_follows_a_row_that_was_shown_before_is_shown_now() -> None:
    outcomes = {"e1": Outcome("FAILED", "no key")}
    rows = (row(1, "user"), row(2, "user", run="e2"))
    assert walk(*rows, start=2, outcomes=outcomes)[0] == ["FAILED", "user 2"]


def test_nothing_new_still_has_its_tail() -> None:
    assert walk(*ROUND, start=4, live="e1") == ([], ["b running"])


def test_repeated_ids_pair_one_by_one() -> None:
    rows = (row(2, "assistant", calls="a a"), row(3, "tool", of="a"))
    assert walk(*rows, live="e1") == (["assistant 2 round 1", "a done"], ["a running"])


def test_rounds_go_on_after_those_before_the_page() -> None:
    assert walk(row(9, "assistant"), rounds_before=4)[0] == ["assistant 9 round 5"]


def test_an_incident_stands_where_it_happened() -> None:
    between = Incident("e1", "notice", {"message": "x"}, START + timedelta(seconds=1.5))
    late = Incident("e1", "llm_retry", {}, START + timedelta(seconds=9))
    rows = (row(1, "user"), row(2, "assistant"))
    entries, tail = walk(*rows, incidents=[between, late])
    assert entries == ["user 1", "notice", "assistant 2 round 1"]
    assert tail == ["llm_retry"]


def test_a_compaction_stands_where_it_happened_whatever_the_run() -> None:
    failed = Past(event("failed", 1.5))
    undone = Past(event("undone", 9))
    rows = (row(1, "user"), row(2, "assistant"))
    entries, tail = walk(*rows, compactions=[failed, undone])
    assert entries == ["user 1", "compaction failed", "assistant 2 round 1"]
    assert tail == ["compaction undone"]


def test_a_divider_follows_its_boundary() -> None:
    dividers = {2: Past(event("compacted", 9))}
    rows = (row(1, "user"), row(2, "assistant"), row(3, "user"))
    entries = walk(*rows, dividers=dividers)[0]
    assert entries == ["user 1", "assistant 2 round 1", "divider compacted", "user 3"]


def test_an_incident_of_another_run_is_left_out() -> None:
    other = Incident("e0", "notice", {}, START)
    assert walk(row(1, "user"), incidents=[other]) == (["user 1"], [])


def test_an_empty_conversation_has_nothing() -> None:
    assert walk() == ([], [])


def test_a_long_text_is_folded_unless_whole() -> None:
    message = row(1, "user")
    message.content = "x" * (TEXT_CHARS + 1)
    assert (len(said(message).text), said(message).folded) == (TEXT_CHARS, True)
    assert not said(message, whole=True).folded


def test_thinking_is_its_visible_blocks() -> None:
    message = row(1, "assistant")
    message.metadata = {"thinking": [{"text": "one"}, {"text": "", "redacted": "x"}, {"text": "2"}]}
    assert said(message).thinking == "one\n\n2"


def test_markdown_that_would_flood_the_page_is_shown_as_written() -> None:
    message = row(1, "assistant")
    message.content = "- <a>\n" * 1_500
    assert said(message).html.startswith('<pre class="plain">- &lt;a&gt;\n- ')
