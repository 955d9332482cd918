"""The conversation as it may be sent: every call followed by its result, nothing else, counted as
it grows.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from agent.messages import Message, ToolCall
from agent.tokens import TokenEstimator

INTERRUPTED_RESULT = '{"error": "outcome unknown: interrupted"}'
EMPTY_RESULT = "(empty)"  # providers refuse a result without text


def interrupted(call: ToolCall) -> Message:
    """The derived result of a call that has none (crash, cancel). Never stored."""
    return Message(
        role="tool", content=INTERRUPTED_RESULT, tool_call_id=call.id, tool_name=call.name
    )


@dataclass(slots=True)
class Group:
    """A message with what belongs to it: an assistant message and one result slot per call, or one
    message.

    A group is sent whole or not at all, so a compaction may only cut between groups. What lies
    before it is known, so that a cut costs no walk through the history.
    """

    head: Message
    results: list[Message | None] = field(default_factory=list)  # None: not answered
    tokens: int = 0
    tokens_before: int = 0
    messages_before: int = 0  # as sent
    highest_id_before: int = 0  # 0: none has an id
    signed_before: bool = False  # a signed thinking block in the same loop

    @property
    def highest_id(self) -> int:
        """Of its stored messages; 0 without any."""
        ids = [result.id or 0 for result in self.results if result]
        return max(ids, default=0) or self.head.id or 0  # a result comes after its call

    def follow(self, previous: "Group") -> None:
        """Take note of what lies before it."""
        self.tokens_before = previous.tokens_before + previous.tokens
        self.messages_before = previous.messages_before + 1 + len(previous.results)
        self.highest_id_before = max(previous.highest_id_before, previous.highest_id)
        self.signed_before = self.head.role != "user" and (
            previous.signed_before or _has_signature(previous.head)
        )

    def sent(self) -> list[Message]:
        """The group as it goes out, unanswered calls with their derived result."""
        if all(self.results):
            return [self.head, *filter(None, self.results)]
        pairs = zip(self.head.tool_calls, self.results, strict=True)
        return [self.head, *(result or interrupted(call) for call, result in pairs)]


class SentMessages(Sequence[Message]):
    """The first `length` items of a list that only grows: an immutable view that costs no copy."""

    __slots__ = ("_length", "_messages")

    def __init__(self, messages: list[Message], length: int) -> None:
        self._messages = messages
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            return self._messages[: self._length][index]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._messages[index if index >= 0 else index + self._length]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


class History:
    """Messages from the boundary on, normalised as they are appended; a step costs only what is
    new.

    Rules: a result answers the oldest unanswered call of its id, wherever it was stored, so that
    the n-th result of a repeated id answers the n-th call; an orphan result is dropped; a blank
    assistant message is dropped; a repeated or empty call id is sent with a suffix, so that every
    pair of a request is unique.
    """

    def __init__(self, estimator: TokenEstimator, messages: Iterable[Message] = ()) -> None:
        self._estimator = estimator
        self._groups: list[Group] = []
        self._open: dict[
            str, deque[tuple[int, int]]
        ] = {}  # id as called -> (group, slot) unanswered
        self._sent_ids: set[str] = set()
        self._sent: list[Message] = []
        self._starts: list[int] = []  # group -> its place in _sent, for those that are there
        self._first_id: int | None = None
        self._last_id: int | None = None
        self._interrupted_tokens = estimator.message(interrupted(ToolCall("", "", "")))
        self.tokens = 0
        for message in messages:
            self.append(message)

    @property
    def groups(self) -> Sequence[Group]:
        """The groups, oldest first."""
        return self._groups

    @property
    def first_id(self) -> int | None:
        """The oldest stored message's id, dropped ones included."""
        return self._first_id

    @property
    def last_id(self) -> int | None:
        """The newest stored message's id, dropped ones included."""
        return self._last_id

    @property
    def complete(self) -> bool:
        """Whether every call of the newest group has its result."""
        return not self._groups or None not in self._groups[-1].results

    def tokens_after(self, message_id: int) -> int:
        """Estimated tokens of all messages after this one."""
        total = 0
        for group in reversed(self._groups):
            newer = [m for m in group.sent() if m.id is None or m.id > message_id]
            if group.head in newer:
                total += group.tokens
                continue
            return total + sum(m.tokens or self._estimator.message(m) for m in newer)
        return total

    def append(self, message: Message) -> None:
        """Take the next stored message (ids rise)."""
        if message.id is not None:
            self._first_id = self._first_id or message.id
            self._last_id = message.id
        if message.role == "tool":
            self._answer(message)
        elif message.role == "user" or not _blank(message):
            self._push(message)

    def messages(self) -> SentMessages:
        """The messages as sent. Unchanged ones are the same objects each time."""
        for index in range(len(self._starts), len(self._groups)):
            self._starts.append(len(self._sent))
            self._sent.extend(self._groups[index].sent())
        return SentMessages(self._sent, len(self._sent))

    def _push(self, message: Message) -> None:
        index = len(self._groups)
        called, sent = [call.id for call in message.tool_calls], []
        for slot, call_id in enumerate(called):
            self._open.setdefault(call_id, deque()).append((index, slot))
            sent.append(self._unique(call_id))
        if sent != called:
            pairs = zip(message.tool_calls, sent, strict=True)
            calls = tuple(replace(call, id=call_id) for call, call_id in pairs)
            message = replace(message, tool_calls=calls)
        group = Group(message, [None] * len(called))
        if self._groups:
            group.follow(self._groups[-1])
        self._groups.append(group)
        self._recount(group)

    def _unique(self, call_id: str) -> str:
        unique, times = call_id, 1
        while not unique or unique in self._sent_ids:
            times += 1
            unique = f"{call_id or 'call'}_{times}"
        self._sent_ids.add(unique)
        return unique

    def _answer(self, message: Message) -> None:
        waiting = self._open.get(message.tool_call_id)
        if not waiting:
            return  # no request may hold a result without its call
        index, slot = waiting.popleft()
        group = self._groups[index]
        content = message.content or EMPTY_RESULT
        call_id = group.head.tool_calls[slot].id
        if (content, call_id) != (message.content, message.tool_call_id):
            message = replace(message, content=content, tool_call_id=call_id)
        group.results[slot] = message
        self._recount(group)
        for later in range(index + 1, len(self._groups)):
            self._groups[later].follow(self._groups[later - 1])
        self._send_again_from(index)

    def _recount(self, group: Group) -> None:
        before, group.tokens = group.tokens, self._tokens_of(group.head)
        for result in group.results:
            group.tokens += self._tokens_of(result) if result else self._interrupted_tokens
        self.tokens += group.tokens - before

    def _tokens_of(self, message: Message) -> int:
        return self._estimator.message(message) if message.tokens is None else message.tokens

    def _send_again_from(self, index: int) -> None:
        """A late result changed this group: build a new list, the old one belongs to requests
        already made.
        """
        if index < len(self._starts):
            self._sent = self._sent[: self._starts[index]]
            del self._starts[index:]


def _has_signature(message: Message) -> bool:
    return any(block.signature or block.redacted for block in message.thinking)


def _blank(message: Message) -> bool:
    return not (message.content.strip() or message.tool_calls or message.images)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the model is told of a session: the handoff summary, and the history after its boundary.

    `handoff` is the summary as sent, wrapped; `boundary_id` the last message that it stands for.
    """

    history: History
    summary: str = ""
    handoff: str = ""
    boundary_id: int | None = None
