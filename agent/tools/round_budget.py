"""How the results of one round share the room that the window has for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import orjson

from agent.protocols import ToolOutcome
from agent.tools.truncation import cut


@dataclass(frozen=True, slots=True)
class RoundBudget:
    """Room for all results of a round: `tokens`, as `count` counts them.

    The run takes half the model's window and `TokenEstimator.text`; with `len` the unit is
    characters. `count` is called from threads.
    """

    tokens: int
    count: Callable[[str], int]


def share(costs: Sequence[int], budget: int) -> list[int]:
    """What each result may cost, in the order given: max-min fair.

    None gets more than it costs, together they get at most `budget`, and what small ones leave goes
    to the big ones in equal parts.
    """
    allowed = [0] * len(costs)
    left = budget
    smallest_first = sorted(range(len(costs)), key=costs.__getitem__)
    for position, index in enumerate(smallest_first):
        allowed[index] = min(costs[index], left // (len(costs) - position))
        left -= allowed[index]
    return allowed


def render(outcome: ToolOutcome) -> str:
    """The text that the model gets: compact JSON. Raises TypeError for what JSON can't hold."""
    return orjson.dumps(outcome.data).decode()


def fit(outcome: ToolOutcome, allowed: int, count: Callable[[str], int]) -> ToolOutcome:
    """The outcome cut so that its rendered text counts at most `allowed`; unchanged if it does.

    Only the body is cut; an outcome without a body becomes the beginning of its JSON text. When not
    even the frame around an empty body fits, what is left is `{"truncated": true}`.
    """
    cost = count(render(outcome))
    if cost <= allowed:
        return outcome
    outcome = _with_body(outcome)
    length = len(outcome.data[outcome.body_key])
    frame = count(render(cut(outcome, 0)))
    # Tokens are spread unevenly: begin with the proportional guess, then give way by tenths.
    keep = length * max(0, allowed - frame) // max(1, cost - frame)
    while keep > 0:
        shorter = cut(outcome, min(keep, length - 1))
        if count(render(shorter)) <= allowed:
            return shorter
        keep -= keep // 10 + 1
    empty = cut(outcome, 0)
    if count(render(empty)) <= allowed:
        return empty
    return replace(empty, data={"truncated": True})


def _with_body(outcome: ToolOutcome) -> ToolOutcome:
    if outcome.data.get(outcome.body_key):
        return outcome
    text = render(outcome)
    full = text if outcome.full_output is None else outcome.full_output
    return ToolOutcome({"content": text}, "content", full_output=full, is_error=outcome.is_error)
