import json
from pathlib import Path

import pytest

from compaction_app.policy import (
    LastAutomatic,
    Situation,
    Trigger,
    Verdict,
    line,
    summary_limit,
    verdict,
)

CASES = Path(__file__).parent.parent / "cases"


def situation(**changes: object) -> Situation:
    defaults: dict[str, object] = {"active": 900, "floor": 100, "window": 1_000, "line": 800}
    return Situation(**{**defaults, **changes})  # type: ignore[arg-type]


def test_the_line_uses_the_window_of_the_model_in_use() -> None:
    case = json.loads((CASES / "C11a_threshold.json").read_text())
    answers = []
    for one in case["input"]["cases"]:
        at = line(one["window"], one["threshold"])
        found = verdict(situation(active=one["used"], window=one["window"], line=at))
        answers.append(found == Verdict.COMPACT)
    assert answers == [False, True, False]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"active": 799}, Verdict.BELOW_LINE),
        ({"active": 800}, Verdict.COMPACT),
        ({"line": None, "window": None}, Verdict.BELOW_LINE),
        ({"floor": 800}, Verdict.FLOOR_OVER_LINE),
        ({"done_before_request": 2}, Verdict.NOT_AGAIN),
        ({"last": LastAutomatic(failed=True, saved_tokens=0, level=850)}, Verdict.NOT_AGAIN),
        ({"last": LastAutomatic(failed=True, saved_tokens=0, level=800)}, Verdict.COMPACT),
        ({"last": LastAutomatic(failed=False, saved_tokens=99, level=850)}, Verdict.NOT_AGAIN),
        ({"last": LastAutomatic(failed=False, saved_tokens=100, level=850)}, Verdict.COMPACT),
    ],
)
def test_an_automatic_trigger_acts_only_where_it_helps(
    changes: dict[str, object], expected: Verdict
) -> None:
    assert verdict(situation(**changes)) == expected


def test_people_tools_and_need_are_forced() -> None:
    assert [t.value for t in Trigger if t.forced] == ["manual", "tool", "overflow"]
    assert [t.value for t in Trigger if t.wished] == ["manual", "tool"]


@pytest.mark.parametrize(
    ("window", "limit"), [(None, 12_000), (200_000, 12_000), (16_000, 1_600), (5, 1)]
)
def test_a_summary_takes_at_most_a_tenth_of_the_window(window: int | None, limit: int) -> None:
    assert summary_limit(12_000, window) == limit


def test_the_smaller_window_of_two_models_limits_a_summary() -> None:
    assert summary_limit(12_000, 10_000, 200_000) == 1_000
    assert summary_limit(12_000, 200_000, 10_000) == 1_000
    assert summary_limit(12_000, None, 10_000) == 1_000
