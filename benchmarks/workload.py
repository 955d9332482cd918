"""Sessions as agents make them: deterministic, one text in eight Chinese, results in JSON.

A session of n messages is a prefix of a longer one with the same seed. Texts have between about 50
and 500 tokens, evenly by their logarithm.
"""

import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import cycle, islice

from agent.history import Conversation, History
from agent.manifest import PromptPart
from agent.messages import Message, ModelSpec, Role, ToolCall, ToolDefinition
from agent.request import RequestBuilder
from agent.tokens import TokenEstimator

SEED = 11
SECTIONS = 10
TOOLS = 20
MEMORIES = 20
CHINESE = (
    "每一次请求都要说明上下文由哪些部分组成工具的结果必须跟在调用之后摘要保留用户的原话和尚未完成的事项"
    "窗口接近上限时较早的消息会被整理成交接说明最近的几轮保持原样检查面板显示每个部分占用的大小"
)
WORDS = re.findall(
    r"\w+",
    """
    the a of to and in for with on at from by as is was are were be been it that this which
    when after before because request response reader writer parser buffer token window
    context prompt section memory summary boundary message round result call file folder line
    column test branch commit error retry timeout queue lock lease claim socket frame session
    model provider table index query row value key name path size limit count first last next
    open closed new old empty checks returns raises reads writes sends waits starts stops
    finds keeps drops adds moves
    """,
)


def prose(random_: random.Random, tokens: int) -> str:
    """About so many tokens of English, or, one time in eight, of Chinese."""
    if random_.random() < 1 / 8:
        start = random_.randrange(len(CHINESE))
        text = CHINESE[start:] + CHINESE * (tokens // len(CHINESE) + 1)
        return text[: round(tokens * 1.2)]
    return english(random_, tokens)


def english(random_: random.Random, tokens: int) -> str:
    """Sentences of about so many tokens, with numbers and names in them."""
    words = random_.choices(WORDS, k=tokens * 4 // 5)
    for at in range(0, len(words), 12):
        words[at] = words[at].capitalize()
        words[at - 1] += "."
    for at in range(5, len(words), 24):
        words[at] = f"`{words[at]}_{random_.choice(WORDS)}()`"
        words[at - 2] = str(random_.randrange(10_000))
    return " ".join(words)


def _size(random_: random.Random) -> int:
    return round(math.exp(random_.uniform(math.log(45), math.log(450))))


def _result(random_: random.Random) -> str:
    if random_.random() < 0.5:
        return json.dumps({"content": prose(random_, _size(random_))}, ensure_ascii=False)
    rows = [
        {"id": random_.randrange(10**6), "name": random_.choice(WORDS), "ms": random_.random()}
        for _ in range(_size(random_) // 22 + 1)
    ]
    return json.dumps({"rows": rows})


def _conversation(seed: int) -> Iterator[Message]:
    random_, number = random.Random(seed), 0
    while True:
        yield Message("user", prose(random_, _size(random_)))
        for _ in range(random_.choice([0, 1, 1, 2, 2, 3, 4])):
            calls = []
            for _ in range(random_.choice([1, 1, 1, 2, 3])):
                number += 1
                arguments = {"path": f"src/{random_.choice(WORDS)}.py", "why": prose(random_, 20)}
                calls.append(ToolCall(f"call_{number:06d}", "read_file", json.dumps(arguments)))
            yield Message("assistant", prose(random_, 40), tool_calls=tuple(calls))
            for call in calls:
                yield Message("tool", _result(random_), tool_call_id=call.id, tool_name="read_file")
        yield Message("assistant", prose(random_, _size(random_)))


@lru_cache(maxsize=4)
def messages(count: int, seed: int = SEED) -> tuple[Message, ...]:
    """The first `count` messages, up to the last round that is complete, with ids and counts."""
    estimator = TokenEstimator()
    found = list(islice(_conversation(seed), count))
    while found and (found[-1].role == "tool" or found[-1].tool_calls):
        found.pop()
    return tuple(
        replace(message, id=number, tokens=estimator.message(message))
        for number, message in enumerate(found, 1)
    )


def new_messages(seed: int = SEED) -> Iterator[Message]:
    """Messages of about 190 tokens that no session has, without id and count, again and again."""
    random_ = random.Random(-seed)
    roles: tuple[Role, Role] = ("user", "assistant")
    texts = [f"{n} {english(random_, 185)}" for n in range(200)]
    return cycle([Message(roles[n % 2], text) for n, text in enumerate(texts)])


def builder(window: int) -> RequestBuilder:
    """Ten prompt sections of about 400 tokens, twenty tools, twenty memories."""
    random_ = random.Random(SEED)
    parts = tuple(
        PromptPart(f"section_{n}", f"Section {n}", prose(random_, 400) + "\n\n")
        for n in range(SECTIONS)
    )
    tools = tuple(
        ToolDefinition(f"tool_{n}", prose(random_, 60), _schema(random_)) for n in range(TOOLS)
    )
    return RequestBuilder(
        spec=ModelSpec("bench", "bench-1", window, max_output_tokens=4_096),
        estimator=TokenEstimator(),
        parts=parts,
        tools=tools,
        labels={"handoff": "Handoff", "messages": "Messages", "context_notes": "Notes"},
        memory_ids=tuple(range(1, MEMORIES + 1)),
        compact_at_tokens=int(window * 0.8),
    )


def _schema(random_: random.Random) -> dict[str, object]:
    names = random_.sample(WORDS, k=5)
    properties = {name: {"type": "string", "description": prose(random_, 12)} for name in names}
    return {"type": "object", "properties": properties, "required": names[:2]}


def conversation(count: int) -> Conversation:
    """The messages and a summary of about 600 tokens."""
    summary = prose(random.Random(SEED), 600)
    history = History(TokenEstimator(), messages(count))
    return Conversation(history, summary, f"## Session handoff\n{summary}")
