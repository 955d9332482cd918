from typing import Any

import pytest

from compaction_app.models import SessionCompactionEvent
from sessions_app import compactions
from sessions_app.models import Session
from sessions_app.shapes import time_text
from tests.sessions_app.rest import Rest
from tests.sessions_app.running import compact
from tests.wire.fixture import Wire

ZEROS = dict.fromkeys(["toolCalls", "intents", "expired", "missed", "acts", "ok", "errors"], 0)


def listed(api: Rest, session: Session, query: str = "") -> Any:
    return api.get(f"/v1/sessions/{session.pk}/compactions{query}").json()


def test_before_anything_the_list_is_empty_and_the_report_zero(api: Rest, session: Session) -> None:
    assert listed(api, session) == {
        "results": [],
        "next": None,
        "report": {**ZEROS, "lastAct": None, "lastError": None},
    }


@pytest.mark.usefixtures("runs_end")
def test_it_shows_all_that_is_known_of_one(api: Rest, talked: Session, wire: Wire) -> None:
    usage = {"prompt_tokens": 77, "completion_tokens": 9, "total_tokens": 86}
    wire.script({"when": "<handoff>", "text": "<handoff>> wish 0</handoff>", "usage": usage})
    compact(talked, tier="light")
    event = SessionCompactionEvent.objects.get()
    (row,) = listed(api, talked)["results"]
    assert row == {
        "id": event.pk,
        "triggerMode": "manual",
        "outcome": "compacted",
        "tier": "light",
        "prevBoundaryMsgId": None,
        "boundaryMsgId": event.boundary_msg_id,
        "compactedMessageCount": 4,
        "beforeTokens": event.before_tokens,
        "afterTokens": event.after_tokens,
        "savedTokens": event.saved_tokens,
        "summaryTokens": event.summary_tokens,
        "promptTokens": 77,
        "cachedTokens": None,
        "completionTokens": 9,
        "durationMs": event.duration_ms,
        "model": "wire",
        "error": None,
        "summaryText": "> wish 0\n\nSaid by the user earlier:\n> wish 1",
        "createdAt": time_text(event.created_at),
    }


@pytest.mark.usefixtures("runs_end")
def test_the_report_counts_and_keeps_the_last(api: Rest, talked: Session, wire: Wire) -> None:
    wire.script(*[{"when": "<handoff>", "text": "Sure!"}] * 2)
    compact(talked)
    compact(talked)
    compactions.undo(session_id=talked.pk)
    answer = listed(api, talked)
    undone, done, failed = answer["results"]
    assert [undone["outcome"], done["outcome"], failed["outcome"]] == [
        "undone",
        "compacted",
        "failed",
    ]
    assert (failed["summaryText"], undone["tier"]) == (None, None)
    report = answer["report"]
    assert {key: report[key] for key in ZEROS} == {**ZEROS, "acts": 2, "ok": 1, "errors": 1}
    stack = report["lastError"].pop("stack")
    assert report["lastError"] == {"code": "model_output_invalid", "message": failed["error"]}
    assert stack.startswith("handoff.py:")
    assert report["lastAct"] == {
        "trigger": "manual",
        **{key: done[key] for key in ("outcome", "tier", "prevBoundaryMsgId", "boundaryMsgId")},
        **{key: done[key] for key in ("beforeTokens", "afterTokens", "savedTokens", "durationMs")},
    }


def test_pages_follow_each_other_by_cursor(api: Rest, session: Session) -> None:
    for n in range(5):
        session.compaction_events.create(trigger_mode="mid_loop", outcome="failed", error=f"{n}")
    shown, query = [], "?limit=2"
    while query:
        page = listed(api, session, query)
        shown.append([row["error"] for row in page["results"]])
        query = f"?limit=2&cursor={page['next']}" if page["next"] else ""
    assert shown == [["4", "3"], ["2", "1"], ["0"]]


@pytest.mark.parametrize("query", ["?limit=0", "?limit=201", "?cursor=x"])
def test_a_bad_page_is_refused(api: Rest, session: Session, query: str) -> None:
    assert api.get(f"/v1/sessions/{session.pk}/compactions{query}").status_code == 400
