"""The built-in model for rehearsals: no LLM, deterministic, drives the real tools."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from agent.clients.rehearsal_handoff import write_handoff
from agent.clients.rehearsal_notes import Touring
from agent.clients.rehearsal_plan import Plan, Skipped, Step, make_plan
from agent.clients.rehearsal_words import Words, code, counting, labels_for, listed, words_for
from agent.errors import ContextOverflow
from agent.messages import ModelResponse, StreamEvent, TextDelta, ToolCall, Usage
from agent.phrases import Phrase
from agent.request import ModelRequest
from agent.tokens import TokenEstimator

WORDS_A_DELTA = 3
CHARACTERS_A_DELTA = 12  # of text without spaces
LONGEST_STREAM_S = 1.5  # a long text comes faster, not later
NAMED = 10  # failures and cut results named in the final answer
_PIECE = re.compile(rf"\S{{1,{CHARACTERS_A_DELTA}}}\s*|\s+")


class RehearsalModel:
    """A `ModelClient` that follows the plain commands of the last user message.

    It keeps nothing: what it does next follows from the request alone, so that it goes on after a
    reload, a restart or a compaction. `pause` is in seconds, between two deltas.
    """

    def __init__(self, *, pause: float = 0.015) -> None:
        self._pause = pause

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Text in small deltas, then usage and the response, like a provider.

        Raises `ContextOverflow` for a prompt above the window, as a provider would.
        """
        window = request.spec.window_tokens
        if window is not None and request.estimated > window:
            raise ContextOverflow(
                Phrase(
                    "the rehearsal model's window is %(window)s tokens, the prompt has %(prompt)s",
                    window=window,
                    prompt=request.estimated,
                ),
                status_code=400,
                limit=window,
                requested=request.estimated,
            )
        response = answer(request)
        pieces = list(deltas(response.text))
        pause = min(self._pause, LONGEST_STREAM_S / len(pieces))
        for delta in pieces:
            await asyncio.sleep(pause)
            yield TextDelta(delta)
        yield response.usage
        yield response


def answer(request: ModelRequest) -> ModelResponse:
    """The whole response to a request: Markdown, with names of files in code."""
    words, plan = words_for(request), make_plan(request)
    if "<handoff>" in request.instruction:
        return _response(request, write_handoff(request, plan, words))
    blocks = [words["who"]] if _is_first(request) else []
    had_work = not plan.ended and (bool(plan.tasks) or plan.has_worked)
    step = plan.next_step([tool.name for tool in request.tools])
    blocks += [_skipped(skip, words) for skip in plan.skipped]
    if step is not None:
        return _response(request, "\n\n".join([*blocks, _said(step, words)]), _calls(request, step))
    blocks += _summary(plan, words) if had_work else [_commands(words), _context(request, words)]
    return _response(request, "\n\n".join(blocks))


def deltas(text: str) -> Iterator[str]:
    """The text in pieces of a few words, which joined give the text."""
    pieces = _PIECE.findall(text)
    for at in range(0, len(pieces), WORDS_A_DELTA):
        yield "".join(pieces[at : at + WORDS_A_DELTA])


def _is_first(request: ModelRequest) -> bool:
    return not request.handoff and all(m.role != "assistant" for m in request.messages)


def _response(request: ModelRequest, text: str, calls: tuple[ToolCall, ...] = ()) -> ModelResponse:
    count = TokenEstimator(request.spec.tokenizer).text
    written = count(text) + sum(count(call.name) + count(call.arguments) for call in calls)
    return ModelResponse(
        text=text,
        tool_calls=calls,
        usage=Usage(request.estimated, written, 0),
        stop_reason="tool_calls" if calls else "stop",
    )


def _calls(request: ModelRequest, step: Step) -> tuple[ToolCall, ...]:
    """The step's calls; their ids are the same when the round is sent again, else new."""
    last = request.messages[-1].id if request.messages else None
    seed = f"{len(request.messages)}_{last or 0}"
    return tuple(
        ToolCall(f"rehearsal_{seed}_{number}", name, json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(step.calls)
    )


def _said(step: Step, words: Words) -> str:
    task = step.task
    if not isinstance(task, Touring):
        paths = [str(arguments["path"]) for _, arguments in step.calls if task.verb == "read"]
        return words[task.verb].format(rest=", ".join(map(code, paths or [task.rest])))
    said = words["touring"].format(path=code(task.left[0]), number=task.read + 1, total=task.total)
    if task.read == 0 and task.found > task.total:
        said = words["tour_cut"].format(total=task.found, most=task.total) + "\n\n" + said
    return said


def _skipped(skip: Skipped, words: Words) -> str:
    return words["not_offered"].format(tool=code(skip.tool), command=code(str(skip.command)))


def _summary(plan: Plan, words: Words) -> list[str]:
    counts = plan.counts
    blocks = []
    if plan.has_worked:
        done = counting(words, "done", counts.calls)
        blocks.append(done.format(calls=counts.calls, failed=counts.failed, cut=counts.cut))
    failed = [f"{result.subject}: {result.failed}" for result in plan.results if result.failed]
    cut = [result.subject for result in plan.results if result.truncated]
    for key, what in (("failed", failed), ("cut", cut), ("others", plan.others)):
        if what:
            blocks.append(listed(words[key], _named(what, words)))
    return blocks


def _named(what: Sequence[str], words: Words) -> list[str]:
    more = len(what) - NAMED
    rest = [words["more"].format(count=more)] if more > 0 else []
    return [*map(code, what[:NAMED]), *rest]


def _commands(words: Words) -> str:
    return listed(words["commands"], map(code, words["forms"].splitlines()))


def _context(request: ModelRequest, words: Words) -> str:
    window = request.spec.window_tokens
    of_window = words["of_window"].format(window=f"{window:,}") if window else ""
    names = labels_for(words)
    lines = []
    for section in request.manifest.sections:
        line = words["section"] if section.count is None else words["counted"]
        label = names.get(section.key, section.label)
        lines.append(line.format(label=label, tokens=f"{section.tokens:,}", count=section.count))
    tools = request.manifest.tools
    lines.append(words["tools"].format(tokens=f"{tools.tokens:,}", count=tools.count))
    head = words["context"].format(tokens=f"{request.estimated:,}", window=of_window)
    return listed(head, lines)
