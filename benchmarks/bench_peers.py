"""The same step as other libraries do it, where they are installed beside us: none is required."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from agent.messages import Message
from benchmarks.bench_context import EMPTY, LARGE, Step
from benchmarks.figures import Figure, at_least, beside, hand_over, missing
from benchmarks.measure import ratio
from benchmarks.workload import messages

TAIL_TOKENS = 200_000  # of 10,000 messages' 1.6 million

Peer = Callable[[], list[Figure]]


def langchain() -> list[Figure]:
    """LangChain's approximate counter, the cheapest that looks at tokens; and where it cuts."""
    from langchain_core.messages.utils import (  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415, I001 - a peer
        count_tokens_approximately as count,
        trim_messages,
    )

    step, theirs = Step(LARGE, window=EMPTY), _langchain_messages()
    ranged = Step(LARGE, window=EMPTY)
    return [
        _cheaper("manifest + decision against LangChain, approximate", 200, step, theirs, count),
        beside(
            "decision + range against LangChain's trim_messages, approximate",
            ratio(
                lambda: trim_messages(theirs, max_tokens=TAIL_TOKENS, token_counter=count),
                ranged.decide_and_choose,
                rounds=5,
            ),
        ),
    ]


def litellm() -> list[Figure]:
    """LiteLLM's counter, which tokenises everything each time."""
    from litellm import token_counter  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - a peer

    theirs = [{"role": "user", "content": message.content} for message in messages(LARGE)]
    return [
        _cheaper(
            "manifest + decision against litellm.token_counter",
            3_000,
            Step(LARGE, window=EMPTY),
            theirs,
            lambda found: token_counter(model="gpt-4o", messages=found),
        )
    ]


PEERS: dict[str, tuple[str, Peer]] = {
    "LangChain": ("langchain_core", langchain),
    "LiteLLM": ("litellm", litellm),
}


def _cheaper(
    what: str, limit: float, step: Step, theirs: list[Any], count: Callable[[Any], object]
) -> Figure:
    return at_least(what, limit, ratio(lambda: count(theirs), step.decide, rounds=5))


def _langchain_messages() -> list[Any]:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - a peer

    def converted(message: Message) -> Any:
        if message.role == "tool":
            return ToolMessage(message.content, tool_call_id=message.tool_call_id)
        if message.role == "user":
            return HumanMessage(message.content)
        calls = [
            {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}
            for call in message.tool_calls
        ]
        return AIMessage(message.content, tool_calls=calls)

    return [converted(message) for message in messages(LARGE)]


def figures() -> list[Figure]:
    """Those that are there; a line for each that is not."""
    found: list[Figure] = []
    for name, (module, measure) in PEERS.items():
        found += measure() if find_spec(module) else [missing(name, "beside us", "not installed")]
    return found


if __name__ == "__main__":
    hand_over(figures())
