"""The rehearsal model drives tools by plain commands, and goes on after a compaction."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from agent.clients import rehearsal
from agent.clients.rehearsal import RehearsalModel, answer, deltas
from agent.clients.rehearsal_words import code
from agent.errors import ContextOverflow
from agent.manifest import ContextManifest, SectionStat, ToolsStat
from agent.messages import Message, ModelResponse, Usage
from tests.agent.clients.building import a_request, events_of, response_of, text_of, tool, user
from tests.agent.clients.rehearsing import ALL_TOOLS, FILES, Rehearsal, a_library, made


async def test_it_streams_and_reports_usage_like_a_provider() -> None:
    request = a_request(tools=ALL_TOOLS)
    events = await events_of(RehearsalModel(pause=0).stream(request))
    response, usage = events[-1], events[-2]
    assert isinstance(response, ModelResponse)
    assert text_of(events) == response.text
    assert len(events) > 20
    assert usage == response.usage == Usage(47, response.usage.completion_tokens, 0)
    assert response.usage.completion_tokens


def test_the_first_answer_says_what_it_is() -> None:
    play = Rehearsal()
    assert "I am the rehearsal model" in play.say("hello")[0].text
    assert "rehearsal model" not in play.say("hello")[0].text


def test_it_tells_what_is_in_its_context() -> None:
    text = answer(a_request(Message("assistant", "Hi"), user("hello"))).text
    assert text.partition("\n\nMy ")[2].splitlines() == [
        "context now holds about 47 tokens of 16,000:",
        "",
        "- Persona: 12",
        "- Messages: 30 (1)",
        "- Tool definitions: 5 (1)",
    ]


@pytest.mark.parametrize(("said", "label"), [("你好", "Messages"), ("hello", "消息")])
def test_it_speaks_chinese_where_message_or_session_do(said: str, label: str) -> None:
    manifest = ContextManifest((SectionStat("messages", label, 3, 1),), ToolsStat(0, 0))
    text = answer(a_request(user(said), manifest=manifest)).text
    assert text.startswith("我是排练模型（rehearsal model）")
    assert "当前上下文约 3 词元" in text


def test_what_it_can_be_told_is_a_list_with_a_line_each() -> None:
    text = answer(a_request(user("hello"))).text
    assert "Commands, one a line:\n\n- `read PATH...`\n- `list GLOB`\n" in text
    assert "指令每行一条：\n\n- `读取 路径...`\n" in answer(a_request(user("你好"))).text


def test_in_chinese_the_parts_have_chinese_names() -> None:
    text = answer(a_request(user("你好"))).text
    assert "- Agent 人格：12\n- 消息：30（1 条）\n- 工具定义：5（1 个）" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("agent/__init__.py", "`agent/__init__.py`"),
        ("a  b\nc", "`a b c`"),
        ("`x` and ``y``", "``` `x` and ``y`` ```"),
    ],
)
def test_a_name_in_code_keeps_its_characters(text: str, shown: str) -> None:
    assert code(text) == shown


def test_commands_are_rounds_in_order() -> None:
    responses = Rehearsal().say("read a b\nsearch x\nwrite c: d")
    assert made(responses) == [
        [("read_file", {"path": "a"}), ("read_file", {"path": "b"})],
        [("grep_search", {"pattern": "x"})],
        [("write_file", {"path": "c", "content": "d"})],
        [],
    ]
    assert [response.text.splitlines()[-1] for response in responses] == [
        "Reading `a`, `b`.",
        "Searching for `x`.",
        "Writing `c: d`.",
        "Done: 4 tool calls, 0 failed, 0 with a cut result.",
    ]
    assert [response.stop_reason for response in responses] == ["tool_calls"] * 3 + ["stop"]


def test_call_ids_are_new_in_each_round() -> None:
    responses = Rehearsal().say("read a b\nread a b")
    ids = [call.id for response in responses for call in response.tool_calls]
    assert len(ids) == len(set(ids)) == 4


def test_the_same_request_gives_the_same_answer() -> None:
    play = Rehearsal()
    play.messages.append(user("read a b"))
    assert answer(play.request()) == answer(play.request())


def test_a_tool_that_is_not_offered_is_named() -> None:
    play = Rehearsal(tools=(tool("read_file"),))
    responses = play.say("run ls\ntour\nread a\nopen http://x")
    assert made(responses) == [[("read_file", {"path": "a"})], []]
    assert responses[0].text.split("\n\n")[1:] == [
        "The tool `shell_session` is not offered here, so I skip: `run ls`",
        "The tool `glob_search` is not offered here, so I skip: `tour **/*`",
        "Reading `a`.",
    ]
    assert responses[1].text.split("\n\n") == [
        "The tool `open_web_page` is not offered here, so I skip: `open http://x`",
        "Done: 1 tool call, 0 failed, 0 with a cut result.",
    ]


def test_nothing_done_needs_no_count() -> None:
    play = Rehearsal(tools=())
    assert play.say("compact")[0].text.split("\n\n")[1:] == [
        "The tool `compact_*` is not offered here, so I skip: `compact`"
    ]


def test_a_tour_reads_one_file_a_round() -> None:
    responses = Rehearsal(a_library).say("tour docs/*.md\nthanks")
    assert made(responses) == [
        [("glob_search", {"pattern": "docs/*.md"})],
        *([("read_file", {"path": path})] for path in FILES),
        [],
    ]
    assert responses[3].text == "Reading `docs/02.md` (3 of 12)."
    assert responses[-1].text.split("\n\n") == [
        "Done: 13 tool calls, 1 failed, 1 with a cut result.",
        "Failed:",
        "- `read_file docs/03.md: no such file`",
        "Cut:",
        "- `read_file docs/05.md`",
        "Not understood:",
        "- `thanks`",
    ]


@pytest.mark.parametrize("result", [{"paths": []}, {"error": "bad pattern"}, {"paths": None}])
def test_a_tour_of_nothing_ends(result: dict[str, Any]) -> None:
    responses = Rehearsal(lambda *_: result).say("tour")
    assert made(responses) == [[("glob_search", {"pattern": "**/*"})], []]


def test_a_long_tour_says_that_it_leaves_files_out() -> None:
    many = [f"{n}.txt" for n in range(100)]
    responses = Rehearsal(lambda *_: {"paths": many, "total": 214}).say("tour")
    assert responses[1].text.split("\n\n") == [
        "214 files match; this tour reads the first 95.",
        "Reading `0.txt` (1 of 95).",
    ]
    assert len(responses) == 97


def test_many_failures_are_counted_not_named() -> None:
    responses = Rehearsal(lambda *_: {"error": "no"}).say("read " + " ".join("abcdefghijkl"))
    assert "- `read_file j: no`\n- and 2 more" in responses[-1].text


def test_a_finished_message_is_not_worked_again() -> None:
    play = Rehearsal()
    play.say("read a")
    assert answer(play.request()).text.startswith("Commands, one a line")


@pytest.mark.parametrize("result", ["not json", "[1]", "{" * 5_000])
def test_odd_results_are_no_failures(result: str) -> None:
    play = Rehearsal()
    play.messages.append(user("read a"))
    call = play.round().tool_calls[0]
    play.messages[-1] = Message("tool", result, (), call.id, "read_file")
    assert play.round().text == "Done: 1 tool call, 0 failed, 0 with a cut result."


def test_rounds_of_another_model_do_no_harm() -> None:
    play = Rehearsal(messages=[user("hello")])
    foreign = answer(a_request(user("read a"), tools=ALL_TOOLS)).tool_calls
    odd = (replace(foreign[0], arguments="[1"),)
    play.messages += [Message("assistant", "", odd), Message("tool", "{}", (), odd[0].id)]
    assert "1 tool call," in play.round().text


async def test_a_prompt_above_the_window_is_refused() -> None:
    manifest = ContextManifest((SectionStat("messages", "Messages", 16_001),), ToolsStat(0, 0))
    with pytest.raises(ContextOverflow, match="window is 16000 tokens, the prompt has 16001") as no:
        await response_of(RehearsalModel(pause=0), a_request(manifest=manifest))
    assert (no.value.limit, no.value.requested) == (16_000, 16_001)


async def test_an_unknown_window_refuses_nothing() -> None:
    request = a_request(spec=replace(a_request().spec, window_tokens=None))
    text = (await response_of(RehearsalModel(pause=0), request)).text
    assert "about 47 tokens:" in text


async def test_a_long_text_does_not_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await response_of(RehearsalModel(pause=1.0), a_request())
    assert sum(waits) == pytest.approx(rehearsal.LONGEST_STREAM_S)


async def test_it_can_be_cancelled_in_mid_stream() -> None:
    task = asyncio.create_task(events_of(RehearsalModel(pause=60).stream(a_request())))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("text", ["", " ", "a", "one two  three\nfour", "上下文" * 30, "x" * 100])
def test_deltas_are_small_and_whole(text: str) -> None:
    assert "".join(deltas(text)) == text
    assert all(len(delta) <= 40 for delta in deltas(text))


def test_arguments_keep_their_characters() -> None:
    play = Rehearsal(messages=[user('write a.md: "ä" \\ 文')])
    [call] = answer(play.request()).tool_calls
    assert json.loads(call.arguments) == {"path": "a.md", "content": '"ä" \\ 文'}
