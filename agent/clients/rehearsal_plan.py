"""What the rehearsal model still has to do: worked out anew from each request, nothing is kept."""

import fnmatch
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agent.clients.rehearsal_commands import Arguments, Command, parse_message
from agent.clients.rehearsal_notes import Counts, Touring, read_notes
from agent.messages import Message, ToolCall
from agent.request import ModelRequest

MOST_TOUR_FILES = 95  # leaves room for the other rounds of a run within the limit of 100


@dataclass(frozen=True, slots=True)
class Skipped:
    """A command whose tool is not offered."""

    command: Command
    tool: str


@dataclass(frozen=True, slots=True)
class Step:
    """The next round: what is done, and its calls as (tool, arguments)."""

    task: Command | Touring
    calls: tuple[tuple[str, Arguments], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A call that was made, and what came of it; `text` is None while there is no result."""

    call: ToolCall
    text: str | None

    @property
    def data(self) -> dict[str, Any]:
        """The result's JSON object, empty when it is none."""
        return _object(self.text or "")

    @property
    def arguments(self) -> dict[str, Any]:
        """The call's arguments, empty when they are no object."""
        return _object(self.call.arguments)

    @property
    def failed(self) -> str:
        """The error it says, or empty."""
        return str(self.data.get("error") or "")

    @property
    def truncated(self) -> bool:
        """Whether it was cut."""
        return self.data.get("truncated") is True

    @property
    def subject(self) -> str:
        """The tool and what it was used on, on one line."""
        first = next(iter(self.arguments.values()), "")
        return " ".join(f"{self.call.name} {first}".split())[:120]


@dataclass(slots=True)
class Plan:
    """Where a message's commands stand. `others` are its lines that are no commands.

    `ended` says that an answer in plain text came after them.
    """

    tasks: deque[Command | Touring] = field(default_factory=deque)
    others: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    before: Counts = field(default_factory=Counts)
    ended: bool = False
    skipped: list[Skipped] = field(default_factory=list)  # since the last round

    @property
    def has_worked(self) -> bool:
        """Whether any tool was called for these commands."""
        return bool(self.results) or self.before.calls > 0

    @property
    def counts(self) -> Counts:
        """Calls so far, those before a compaction included."""
        return Counts(
            self.before.calls + len(self.results),
            self.before.failed + sum(bool(result.failed) for result in self.results),
            self.before.cut + sum(result.truncated for result in self.results),
        )

    def next_step(self, offered: Sequence[str]) -> Step | None:
        """The next round; commands whose tool is not among `offered` go to `skipped`."""
        while self.tasks:
            task = self.tasks[0]
            if isinstance(task, Touring):
                return Step(task, (("read_file", {"path": task.left[0]}),))
            missing = next((tool for tool in task.tools if not fnmatch.filter(offered, tool)), None)
            if missing is None:
                name = fnmatch.filter(offered, task.tools[0])[0]
                return Step(task, tuple((name, each) for each in task.arguments()))
            self.skipped.append(Skipped(task, missing))
            self.tasks.popleft()
        return None

    def take_round(self, results: list[Result], offered: Sequence[str]) -> None:
        """A round was made: its task is done, or one file further, or has found its files."""
        step = self.next_step(offered)
        self.skipped.clear()
        self.results += results
        if step is None:  # a round of another model
            return
        self.tasks.popleft()
        following = _following(step.task, results)
        if following is not None:
            self.tasks.appendleft(following)


def make_plan(request: ModelRequest) -> Plan:
    """The plan of the last user message, or, after a compaction that took it, of the handoff."""
    offered = [tool.name for tool in request.tools]
    start = max((at for at, m in enumerate(request.messages) if m.role == "user"), default=None)
    if start is None:
        notes = read_notes(request.conversation.summary)
        plan, rest = Plan(deque(notes.tasks), before=notes.counts), request.messages
    else:
        commands, others = parse_message(request.messages[start].content)
        plan, rest = Plan(deque(commands), others), request.messages[start + 1 :]
    for calls, results in _rounds(rest):
        if calls:
            plan.take_round(results, offered)
        else:
            plan.tasks.clear()
            plan.ended = True
    return plan


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _rounds(messages: Iterable[Message]) -> Iterator[tuple[tuple[ToolCall, ...], list[Result]]]:
    head: Message | None = None
    texts: dict[str, str] = {}
    for message in (*messages, None):
        if message is not None and message.role == "tool":
            texts[message.tool_call_id] = message.content
            continue
        if head is not None:
            calls = head.tool_calls
            yield calls, [Result(call, texts.get(call.id)) for call in calls]
        head, texts = message, {}


def _following(task: Command | Touring, results: list[Result]) -> Touring | None:
    if isinstance(task, Command):
        if task.verb != "tour" or not results:
            return None
        paths = [path for path in results[0].data.get("paths") or () if isinstance(path, str)]
        found = results[0].data.get("total")
        left = tuple(paths[:MOST_TOUR_FILES])
        total = found if type(found) is int else len(paths)
        return Touring(task.rest, left, 0, len(left), total) if left else None
    if len(task.left) == 1:
        return None
    return replace(task, left=task.left[1:], read=task.read + 1)
