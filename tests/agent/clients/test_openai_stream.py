"""Putting chunks together, without a network."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.clients.openai_stream import StreamAssembler
from agent.errors import ContextOverflow, ModelError, ModelOutputInvalid, ModelUnavailable
from agent.messages import ModelResponse, StreamEvent, TextDelta, Thinking, ToolCall, Usage
from tests.agent.clients.building import text_of, thinking_of

CASES = Path(__file__).parents[2] / "cases"
PIECES = json.loads((CASES / "C26a_stream.json").read_text())
STREAMS = {stream["name"]: stream["chunks"] for stream in PIECES["input"]["streams"]}
END: dict[str, Any] = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3}


def said(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta}]}


def call(**fields: Any) -> dict[str, Any]:
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return {**fields, "function": function}


def played(*chunks: Any, **options: Any) -> list[StreamEvent]:
    assembler = StreamAssembler(**options)
    events = [event for chunk in chunks for event in assembler.feed(chunk)]
    return [*(event for event in events if event is not None), *assembler.finish()]


def response_to(*chunks: Any, **options: Any) -> ModelResponse:
    response = played(*chunks, **options)[-1]
    assert isinstance(response, ModelResponse)
    return response


def calls_of(*pieces: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    response = response_to(*(said(tool_calls=piece) for piece in pieces), END)
    return [(each.id, each.name, each.arguments) for each in response.tool_calls]


@pytest.mark.parametrize("expected", PIECES["expect"], ids=lambda expected: str(expected["name"]))
def test_pieces_of_calls_are_joined(expected: Any) -> None:
    calls = response_to(*(said(**delta) for delta in STREAMS[expected["name"]]), END).tool_calls
    assert [[each.name, json.loads(each.arguments)] for each in calls] == expected["equals"]


def test_two_entries_of_one_index_in_one_chunk_are_one_call() -> None:
    first = [call(index=0, id="a", name="f"), call(index=0, arguments='{"a"')]
    assert calls_of(first, [call(index=0, arguments=":1}")]) == [("a", "f", '{"a":1}')]


def test_an_id_may_come_late_and_a_name_in_pieces() -> None:
    pieces = [call(index=0, name="read_"), call(index=0, name="file"), call(index=0, id="a")]
    last = call(index=0, arguments="{}")
    assert calls_of(*([piece] for piece in pieces), [last]) == [("a", "read_file", "{}")]


def test_a_repeated_name_is_not_a_second_half() -> None:
    pieces = [[call(index=0, id="a", name="f", arguments=part)] for part in ('{"x"', ":1}", "")]
    assert calls_of(*pieces) == [("a", "f", '{"x":1}')]


def test_calls_without_ids_begin_anew_after_whole_arguments() -> None:
    first, second = call(index=0, name="f", arguments="{}"), call(index=0, name="f", arguments="{}")
    calls = calls_of([first], [call(index=0, name="f", arguments="")], [second])
    assert [each[1:] for each in calls] == [("f", "{}"), ("f", "{}")]


def test_calls_side_by_side_need_neither_index_nor_id() -> None:
    calls = calls_of([call(name="f"), call(name="g")], [call(arguments="{}")])
    assert [each[1:] for each in calls] == [("f", ""), ("g", "{}")]


def test_calls_without_index_are_told_apart_by_id() -> None:
    pieces = [call(id="a", name="f"), call(id="b", name="g"), call(id="a", arguments="{}")]
    assert calls_of(*([piece] for piece in pieces)) == [("a", "f", "{}"), ("b", "g", "")]


def test_one_id_at_two_indexes_is_two_calls() -> None:
    pieces = [call(index=0, id="a", name="f"), call(index=1, id="a", name="g")]
    assert calls_of(pieces) == [("a", "f", ""), ("a_1", "g", "")]


def test_odd_entries_do_no_harm() -> None:
    odd = {"index": "0", "id": 5, "function": {"name": None, "arguments": {"t": "ä"}}}
    [(_, name, arguments)] = calls_of([{"index": 0, "function": None}, odd])
    assert (name, arguments) == ("", '{"t": "ä"}')


def test_nested_arguments_are_never_whole() -> None:
    deep = "[" * 100_000
    calls = calls_of([call(index=0, name="f", arguments=deep)], [call(index=0, name="g")])
    assert [each[1:] for each in calls] == [("f", deep)]


def test_a_made_up_id_is_the_same_each_time_and_differs_by_seed() -> None:
    chunk = said(tool_calls=[call(index=0, name="f", arguments="{}")])
    first = response_to(chunk, END, seed="1").tool_calls
    assert first == response_to(chunk, END, seed="1").tool_calls
    assert first != response_to(chunk, END, seed="2").tool_calls
    assert len(first[0].id) == 29


def test_names_are_translated_back() -> None:
    chunk = said(tool_calls=[call(index=0, id="a", name="x_1")])
    response = response_to(chunk, END, names={"x_1": "x 1"})
    assert response.tool_calls == (ToolCall("a", "x 1", ""),)


def test_an_old_function_call_is_a_call() -> None:
    pieces = [said(function_call={"name": "f", "arguments": part}) for part in ("{", "}")]
    end = {"choices": [{"delta": {}, "finish_reason": "function_call"}]}
    response = response_to(*pieces, end)
    assert [(c.name, c.arguments) for c in response.tool_calls] == [("f", "{}")]
    assert response.stop_reason == "tool_calls"


def test_a_piece_of_a_call_is_progress_but_not_shown() -> None:
    assembler = StreamAssembler()
    assert assembler.feed(said(tool_calls=[call(index=0)])) == [None]
    assert assembler.feed(said(role="assistant", content="")) == []
    assert assembler.feed(said(content=None, tool_calls="odd")) == []
    assert assembler.feed(said(tool_calls=["odd"])) == []


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_thinking(field: str) -> None:
    events = played(said(**{field: "h"}), said(**{field: "m"}), said(content="ok"), END)
    assert thinking_of(events) == "hm"
    assert events[-1] == ModelResponse(text="ok", thinking=(Thinking("hm"),))


def test_text_may_come_in_parts_or_as_a_refusal() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, "odd", {"text": 5}]
    assert response_to(said(content=parts), said(refusal="b"), END).text == "ab"


def test_a_pair_of_surrogates_cut_in_two_is_joined() -> None:
    events = played(said(content="a\ud83d"), said(content="\udd25b"), END)
    assert [e for e in events if isinstance(e, TextDelta)] == [TextDelta("a"), TextDelta("🔥b")]


def test_half_a_pair_at_the_end_is_replaced() -> None:
    events = played(said(content="a\ud83d"), END)
    assert text_of(events) == "a\ufffd"
    assert response_to(said(content="a\ud83d"), END).text == "a\ufffd"


@given(st.lists(st.text(st.sampled_from("a🔥\ud83d\udd25\x00"), max_size=4), min_size=1))
def test_what_was_shown_is_what_is_kept(deltas: list[str]) -> None:
    events = played(*(said(content=delta, reasoning=delta) for delta in ["x", *deltas]), END)
    response = events[-1]
    assert isinstance(response, ModelResponse)
    assert (text_of(events), thinking_of(events)) == (response.text, response.thinking[0].text)
    response.text.encode()


def test_the_final_usage_chunk_is_an_end_mark() -> None:
    response = response_to(said(content="a"), {"choices": [], "usage": USAGE})
    assert response == ModelResponse(text="a", usage=Usage(7, 3), stop_reason="stop")


def test_usage_on_every_chunk_is_no_end_mark() -> None:
    chunk = {**said(content="a"), "usage": USAGE}
    with pytest.raises(ModelUnavailable, match="connection lost"):
        played({"choices": [], "usage": USAGE}, chunk)


def test_usage_is_told_when_it_changes() -> None:
    chunk = {**said(content="a"), "usage": USAGE}
    events = played(chunk, chunk, {**END, "usage": None})
    assert events == [TextDelta("a"), Usage(7, 3), TextDelta("a"), response_to(chunk, chunk, END)]


def test_missing_usage_stays_unknown() -> None:
    assert response_to(said(content="a"), END).usage == Usage()


@pytest.mark.parametrize(
    ("reason", "kept"),
    [("length", "length"), ("max_tokens", "length"), ("stop", "stop"), ("eos", "eos")],
)
def test_stop_reasons_are_kept(reason: str, kept: str) -> None:
    end = {"choices": [{"delta": None, "finish_reason": reason}]}
    assert response_to(said(content="a"), end).stop_reason == kept


def test_calls_cut_by_the_output_limit_say_so() -> None:
    piece = said(tool_calls=[call(index=0, id="a", name="f", arguments='{"p": "a')])
    end = {"choices": [{"delta": {}, "finish_reason": "length"}]}
    assert response_to(piece, end).stop_reason == "length"


@pytest.mark.parametrize(
    ("reason", "error", "words"),
    [
        ("stop", ModelOutputInvalid, "neither text nor a tool call"),
        ("length", ModelOutputInvalid, "output limit before any answer"),
        ("content_filter", ModelError, "content filter"),
        ("error", ModelUnavailable, "broke off"),
        ("model_context_window_exceeded", ContextOverflow, "window is full"),
    ],
)
def test_an_answer_of_nothing_is_an_error(reason: str, error: type[Exception], words: str) -> None:
    end = {"choices": [{"delta": {}, "finish_reason": reason}]}
    with pytest.raises(error, match=words):
        played(said(content="\n", reasoning="hm"), end)


@pytest.mark.parametrize("chunk", [None, 5, "text", []])
def test_what_is_no_chunk_is_named(chunk: Any) -> None:
    with pytest.raises(ModelUnavailable, match="holds no chunk but"):
        played(chunk)


def test_odd_choices_do_no_harm() -> None:
    odd: list[Any] = [{}, {"choices": None}, {"choices": ["x"]}, {"choices": [{"delta": "x"}]}]
    assert response_to(*odd, said(content="a"), END).text == "a"
