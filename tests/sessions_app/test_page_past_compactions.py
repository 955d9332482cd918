from hypothesis import given
from hypothesis import strategies as st

from compaction_app.models import SessionCompactionEvent
from sessions_app.models import Session
from sessions_app.page.past_compactions import (
    FOLDS,
    PastCompactions,
    marked,
    past_compactions,
)
from tests.sessions_app.compaction_rows import compacted, tried
from tests.sessions_app.page_rows import say


def test_the_ones_in_force_follow_each_other(session: Session) -> None:
    rows = [say(session, "user", f"text {number}") for number in range(6)]
    compacted(session, rows[1])
    tried(session, "failed")
    compacted(session, rows[4])
    past = past_compactions(session)
    spans = [(one.after, one.before) for one in past.in_force]
    assert spans == [(0, rows[1].pk + 1), (rows[1].pk, rows[4].pk + 1)]
    assert past.boundary == rows[4].pk


def test_an_undo_takes_back_the_newest_in_force(session: Session) -> None:
    rows = [say(session, "user", f"text {number}") for number in range(3)]
    first = compacted(session, rows[0])
    second = compacted(session, rows[1])
    tried(session, "undone")
    past = past_compactions(session)
    assert [one.event.pk for one in past.all if one.undone] == [second]
    assert (past.boundary, [one.event.pk for one in past.in_force]) == (rows[0].pk, [first])


def test_without_any_nothing_is_folded(session: Session) -> None:
    past = past_compactions(session)
    assert (past.boundary, past.last, past.folds, past.told) == (0, None, [], [])


def test_only_the_newest_have_a_divider_on_the_first_page(session: Session) -> None:
    for number in range(FOLDS + 5):
        compacted(session, say(session, "user", f"text {number}"))
    past = past_compactions(session)
    assert past.folds == past.in_force[5:]
    assert len(past.dividers) == FOLDS + 5


@given(st.lists(st.sampled_from(["compacted", "undone", "failed", "nothing_to_compact"])))
def test_undos_are_matched_as_a_stack_would(outcomes: list[str]) -> None:
    stack: list[int] = []
    for number, outcome in enumerate(outcomes, 1):
        if outcome == "compacted":
            stack.append(number)
        elif outcome == "undone" and stack:
            stack.pop()
    legal = all(
        outcomes[:end].count("undone") <= outcomes[:end].count("compacted")
        for end in range(len(outcomes) + 1)
    )
    events = [
        SessionCompactionEvent(id=number, outcome=outcome, boundary_msg_id=number)
        for number, outcome in enumerate(outcomes, 1)
    ]
    past = PastCompactions(marked(events[::-1]))
    if legal:
        assert [one.event.pk for one in past.in_force] == stack
