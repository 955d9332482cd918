from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.models import RequestLog, Session
from sessions_app.page.composition import Composition, Measured, Part, composition
from tests.sessions_app.page_rows import ESTIMATED, push, requested

KINDS = ["prompt", "tools", "memory", "messages"]
PARTS = (
    Part("persona", "Persona", "prompt", 300),
    Part("memories", "Memory", "memory", 100, 2),
    Part("environment", "Environment", "prompt", 200),
    Part("messages", "Messages", "messages", 1_400, 7),
)


def shown(**fields: Any) -> Composition:
    values = {"active": 2_000, "estimated": 2_000, "window": 10_000, "line": 8_000}
    return Composition(**{**values, "reserved": 1_000, "parts": PARTS, **fields})


@pytest.mark.django_db
def test_nothing_is_shown_before_the_first_request(session: Session) -> None:
    assert composition(session, []) is None


@pytest.mark.django_db
def test_it_shows_what_was_pushed(session: Session) -> None:
    push(session, memoryIds=[4, 2])
    found = composition(session, [])
    assert found is not None
    assert [(part.key, part.kind, part.tokens, part.count) for part in found.parts] == [
        ("persona", "prompt", 300, None),
        ("memories", "memory", 100, 2),
        ("environment", "prompt", 200, None),
        ("tools", "tools", 350, 3),
        ("messages", "messages", 3_000, 7),
        ("context_notes", "notes", 50, None),
    ]
    assert (found.unattributed, found.memory_ids, found.to_line) == (0, (4, 2), 4_000)


@pytest.mark.django_db
@pytest.mark.parametrize("of_session", ["en", "zh-hans"])
@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("en", ["Environment", "Tool definitions", "System prompt"]),
        ("zh-hans", ["工作环境", "工具定义", "系统提示"]),
    ],
)
def test_all_parts_are_named_in_the_pages_language(
    session: Session, of_session: str, page: str, names: list[str]
) -> None:
    session.language = of_session
    push(session)
    with translation.override(page):
        found = composition(session, [])
        assert found is not None
        bar = {one.kind: one.label for one in found.segments}
    parts = {part.key: part.label for part in found.parts}
    assert [parts["environment"], parts["tools"], bar["prompt"]] == names
    assert bar["tools"] == names[1]


@pytest.mark.django_db
def test_a_push_without_a_manifest_still_has_its_number(session: Session) -> None:
    session.context_frame = '{"estimated": 500, "actual": 490}'
    found = composition(session, [])
    assert found is not None
    assert (found.estimated, found.parts, found.unattributed) == (500, (), 500)


@pytest.mark.django_db
def test_the_estimate_is_compared_with_the_measurement_of_the_same_request(
    session: Session,
) -> None:
    push(session)
    row = requested(session, estimated=1_009, actual=1_000)
    requested(session, estimated=99, actual=90, kind=RequestLog.Kind.SUMMARY)
    requested(session, estimated=2_000)
    found = composition(session, list(RequestLog.objects.all()))
    assert found is not None
    assert found.measured == Measured(row.pk, actual=1_000, estimated=1_009, earlier=True)
    assert found.measured.deviation == "+0.9%"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pushed", "earlier"),
    [
        ({}, False),
        ({"requestId": None}, True),  # a compaction or its undo
        ({"requestId": -1}, True),  # the next request is on its way
        ({"estimated": 5_000}, True),  # counted again after tool results
    ],
)
def test_a_measurement_of_an_earlier_request_is_known_as_such(
    session: Session, pushed: dict[str, Any], earlier: bool
) -> None:
    row = requested(session, estimated=ESTIMATED, actual=3_900)
    estimated = pushed.pop("estimated", ESTIMATED)
    push(session, estimated=estimated, **{"requestId": row.pk, **pushed})
    found = composition(session, [row])
    assert found is not None
    assert found.measured == Measured(row.pk, 3_900, ESTIMATED, earlier)


def test_the_bar_has_each_kind_once_then_free_then_reserved() -> None:
    bar = [(one.kind, one.tokens, one.x, one.width) for one in shown().segments]
    assert bar == [
        ("prompt", 500, 0, 5),
        ("memory", 100, 5, 1),
        ("messages", 1_400, 6, 14),
        ("free", 7_000, 20, 70),
        ("reserved", 1_000, 90, 10),
    ]


def test_an_overfull_window_has_neither_free_nor_reserved() -> None:
    full = shown(estimated=12_500, parts=(Part("messages", "Messages", "messages", 12_500),))
    assert [(one.kind, one.width) for one in full.segments] == [("messages", 100)]
    assert full.line_x == 64


def test_an_unknown_window_shows_the_parts_alone() -> None:
    unknown = shown(window=None, line=None, reserved=0)
    assert [one.kind for one in unknown.segments] == ["prompt", "memory", "messages"]
    assert (unknown.share, unknown.to_line, unknown.line_x) == ("", None, None)


def test_the_floor_is_what_no_compaction_removes() -> None:
    parts = (*PARTS, Part("handoff", "Handoff", "handoff", 500), Part("x", "Notes", "notes", 40))
    assert shown(parts=parts).floor == 640
    assert [shown(line=line).floor_over_line for line in (601, 600, None)] == [False, True, False]


def test_the_list_can_begin_with_the_largest() -> None:
    assert shown().listed == PARTS
    assert [part.tokens for part in shown(by_size=True).listed] == [1_400, 300, 200, 100]


def test_over_the_line_is_said_as_such() -> None:
    assert (shown(active=8_100).over_line, shown().over_line) == (100, None)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 10**6)), max_size=12),
    st.none() | st.integers(1, 2 * 10**6),
    st.integers(0, 10**5),
)
def test_the_bar_is_full_and_without_holes(
    parts: list[tuple[str, int]], window: int | None, reserved: int
) -> None:
    rows = tuple(Part(kind, kind, kind, tokens) for kind, tokens in parts)
    total = sum(tokens for _, tokens in parts)
    bar = shown(window=window, estimated=total, reserved=reserved, parts=rows).segments
    ends = [round(one.x + one.width, 3) for one in bar]
    assert [one.x for one in bar] == [0, *ends[:-1]][: len(bar)]
    assert ends[-1:] == ([100] if total or window else [])
    assert sum(one.tokens for one in bar) == max(window or 0, total)
