"""One more message in a session of n: manifest, decision, range, and the request's bytes."""

from collections.abc import Callable
from itertools import count
from typing import Any

import orjson

from agent.clients.openai_wire import MessageCache, request_body, wire_history
from agent.messages import Message
from agent.occupancy import Occupancy
from agent.request import RequestBuilder
from agent.testing import RecordingListener
from agent.tokens import TokenEstimator
from benchmarks.figures import Figure, at_least, at_most, hand_over
from benchmarks.measure import medians, ratio
from benchmarks.workload import builder, conversation, messages, new_messages
from compaction_app.compact_context import RegisteredTier
from compaction_app.compactor import Compactor
from compaction_app.gates import AutomaticSettings, CompactionGates
from compaction_app.intents import Intents
from compaction_app.ranges import Cut, choose, tail_budget
from compaction_app.teaching import Teaching

SMALL, LARGE = 100, 10_000
EMPTY, HALF_FULL = 100_000_000, 4_000_000  # windows: below and above the card's 30% for n = 10,000
RATIO = 0.8
TIER = "standard"
LANGUAGE = "en"


class Step:
    """What happens between two model requests, as the loop and its gates do it."""

    def __init__(self, size: int, *, window: int) -> None:
        self.builder = builder(window)
        self.conversation = conversation(size)
        self.gates = gates(self.builder)
        self._new = new_messages()
        self._ids = count(size + 1)

    def count_only(self) -> int:
        """The floor: tokenise the new message, nothing else."""
        return self.builder.estimator.message(next(self._new))

    def decide(self) -> tuple[bool, object]:
        """Count and take the new message, look at the line, build request and manifest."""
        new = next(self._new)
        tokens = self.builder.estimator.message(new)
        stored = Message(new.role, new.content, id=next(self._ids), tokens=tokens)
        self.conversation.history.append(stored)
        due = self.gates.over_line(self.conversation)
        notes = self.gates.notes(self.conversation)
        return due, self.builder.build(self.conversation, notes=notes).manifest.as_dict()

    def decide_and_choose(self) -> Cut | None:
        """The same, and where to cut."""
        self.decide()
        history = self.conversation.history
        window = self.builder.spec.window_tokens
        budget = tail_budget(window=100_000, tier=TIER, above=history.tokens, forced=False)
        return choose(history.groups, budget=budget, window=window)


def gates(builder: RequestBuilder) -> CompactionGates:
    """The gates of a run that never compacts: nobody clicks, and the line is far."""
    nothing: Any = None  # a decision neither writes nor asks a model
    return CompactionGates(
        compactor=Compactor(
            builder=builder, summariser=nothing, records=nothing, language=LANGUAGE
        ),
        occupancy=Occupancy(0, None),
        listener=RecordingListener(),
        signals=nothing,
        settings=AutomaticSettings(ratio=RATIO),
        teaching=Teaching(
            session_id=1,
            language=LANGUAGE,
            intents=Intents(),
            tier=RegisteredTier(TIER, nothing),
            count=nothing,
            briefed=True,
        ),
    )


def recount(found: tuple[Message, ...]) -> Callable[[], int]:
    """What peers do that count exactly: everything, each time."""
    estimator = TokenEstimator()
    return lambda: sum(estimator.message(message) for message in found)


def serialising() -> list[Figure]:
    """A whole request of n = 10,000 as bytes, against orjson of the same data."""
    step = Step(LARGE, window=EMPTY)
    request = step.builder.build(step.conversation)
    body = request_body(request, own_api=True, history=wire_history(request.messages, vision=False))
    cache = MessageCache()

    def next_request() -> bytes:
        step.decide()
        now = step.builder.build(step.conversation)
        history = cache.history(now.messages, vision=False)
        return orjson.dumps(request_body(now, own_api=True, history=history))

    return [
        at_most(
            "build and serialise the next request, n = 10,000, against orjson of its data",
            1.5,
            ratio(next_request, lambda: orjson.dumps(body)),
        )
    ]


def figures() -> list[Figure]:
    """All of them; one process, so that ratios hold."""
    small, large, ranged = (Step(size, window=EMPTY) for size in (SMALL, LARGE, LARGE))
    carded = Step(LARGE, window=HALF_FULL)
    exact, step, little = medians(recount(messages(LARGE)), large.decide, small.decide, rounds=5)
    return [
        at_most(
            "manifest + decision, n = 10,000, against tokenising the new message",
            2,
            ratio(large.decide, large.count_only),
        ),
        at_most(
            "the same with a decision card of 250 tokens in the request",
            5,
            ratio(carded.decide, carded.count_only),
        ),
        at_least("manifest + decision against an exact recount", 3_000, exact / step),
        at_most("growth from n = 100 to 10,000", 1.5, step / little),
        at_most(
            "decision + pair-safe range against the decision alone",
            1.5,
            ratio(ranged.decide_and_choose, large.decide),
        ),
        *serialising(),
    ]


if __name__ == "__main__":
    hand_over(figures())
