import orjson
from hypothesis import given
from hypothesis import strategies as st

from agent.protocols import ToolOutcome
from agent.tokens import TokenEstimator
from agent.tools.round_budget import fit, render, share
from agent.tools.truncation import is_truncated

COSTS = st.lists(st.integers(0, 10_000), min_size=1, max_size=20)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=2_000)


def test_small_results_leave_their_rest_to_the_big_ones() -> None:
    assert share([10, 1_000, 500, 20], 630) == [10, 300, 300, 20]


def test_nothing_is_cut_where_all_fits() -> None:
    assert share([10, 20, 30], 60) == [10, 20, 30]


@given(COSTS, st.integers(0, 100_000))
def test_shares_are_fair_and_use_the_budget(costs: list[int], budget: int) -> None:
    allowed = share(costs, budget)
    short = [room for room, cost in zip(allowed, costs, strict=True) if room < cost]
    assert sum(allowed) <= budget
    assert all(room <= cost for room, cost in zip(allowed, costs, strict=True))
    if short:
        assert max(allowed) <= min(short) + 1
        assert sum(allowed) == budget
    else:
        assert allowed == costs


@given(TEXTS, st.integers(0, 3_000))
def test_a_fitted_result_counts_at_most_what_is_allowed(text: str, allowed: int) -> None:
    outcome = ToolOutcome({"path": "a", "content": text}, "content")
    fitted = fit(outcome, allowed, len)
    if len(render(outcome)) <= allowed:
        assert fitted is outcome
    else:
        assert is_truncated(render(fitted))
        assert len(render(fitted)) <= max(allowed, len('{"truncated":true}'))
        assert text.startswith(fitted.data.get("content", ""))
        assert fitted.full_output == (text or render(outcome))


def test_a_fitted_result_uses_most_of_its_room() -> None:
    estimator = TokenEstimator()
    outcome = ToolOutcome({"content": "one two three 四五六 " * 5_000}, "content")
    fitted = fit(outcome, 10_000, estimator.text)
    assert 9_000 < estimator.text(render(fitted)) <= 10_000


def test_a_body_whose_end_is_dense_still_fits() -> None:
    outcome = ToolOutcome({"content": "\x01" * 1_000 + "a" * 9_000}, "content")
    assert len(render(fit(outcome, 2_000, len))) <= 2_000


def test_a_result_without_a_body_becomes_the_beginning_of_its_json() -> None:
    outcome = ToolOutcome({"paths": ["a" * 90] * 90})
    fitted = fit(outcome, 1_000, len)
    assert fitted.full_output == render(outcome)
    assert fitted.data["content"].startswith('{"paths":["aaa')
    assert fitted.data["original_characters"] == len(render(outcome))
    assert 900 < len(render(fitted)) <= 1_000


def test_where_only_the_frame_fits_the_body_is_empty() -> None:
    outcome = ToolOutcome({"content": "a" * 500}, "content")
    frame = len(render(fit(outcome, 130, len)))
    fitted = fit(outcome, frame - len(str(fit(outcome, 130, len).data["content"])), len)
    assert fitted.data["content"] == ""


def test_where_not_even_the_frame_fits_the_flag_remains() -> None:
    fitted = fit(ToolOutcome({"content": "a" * 500}, "content"), 5, len)
    assert orjson.loads(render(fitted)) == {"truncated": True}
    assert fitted.full_output == "a" * 500
