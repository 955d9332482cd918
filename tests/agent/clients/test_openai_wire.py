"""From a request to the body that is sent."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.clients.openai_wire import (
    MessageCache,
    names_on_return,
    request_body,
    wire_arguments,
    wire_history,
    wire_id,
    wire_message,
    wire_name,
    wire_tool,
)
from agent.messages import Image, Message, ModelSpec, Thinking, ToolCall, ToolDefinition
from agent.request import ModelRequest
from tests.agent.clients.building import a_request, tool, user

CASES = Path(__file__).parents[2] / "cases"
PICTURE = Image("image/png", data="QUJD", width=640, height=480)
TEXTS = st.text(st.characters(), max_size=20)


def body_of(request: ModelRequest, *, own_api: bool = False) -> dict[str, Any]:
    history = wire_history(request.messages, vision=request.spec.vision)
    return request_body(request, own_api=own_api, history=history)


def sent(value: object) -> Any:
    return orjson.loads(orjson.dumps(value))


def test_a_small_request_has_no_empty_fields() -> None:
    assert body_of(a_request()) == {
        "model": "test-1",
        "messages": [
            {"role": "system", "content": "Be kind.\n\n"},
            {"role": "user", "content": "Hi"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 1_000,
    }


def test_all_parts_stand_in_order() -> None:
    spec = ModelSpec("T", "t", 16_000, 1_000, notes_role="developer")
    request = a_request(user("Hi"), spec=spec, summary="S", notes="N", instruction="I")
    assert [(m["role"], m["content"]) for m in body_of(request)["messages"]] == [
        ("system", "Be kind.\n\n"),
        ("user", "Handoff: S"),
        ("user", "Hi"),
        ("developer", "N"),
        ("user", "I"),
    ]


def test_openai_itself_takes_another_limit() -> None:
    body = body_of(a_request(), own_api=True)
    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 1_000


def test_tools_are_functions() -> None:
    body = body_of(a_request(tools=(tool("ls", path={"type": "string"}),)))
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}}
    function = {"name": "ls", "description": "Does ls.", "parameters": parameters}
    assert body["tools"] == [{"type": "function", "function": function}]


def test_a_tool_without_anything_has_an_empty_schema() -> None:
    function = {"name": "ls", "parameters": {"type": "object", "properties": {}}}
    assert wire_tool(ToolDefinition("ls", "")) == {"type": "function", "function": function}


def test_calls_and_results_keep_their_pairs() -> None:
    call = ToolCall("a", "l s", '{"p": 1}')
    asked = wire_message(
        Message("assistant", "Look:", (call,), thinking=(Thinking("hm"),)), vision=False
    )
    answered = wire_message(Message("tool", "", tool_call_id="a"), vision=False)
    function = {"name": wire_name("l s"), "arguments": '{"p": 1}'}
    assert asked == {
        "role": "assistant",
        "content": "Look:",
        "tool_calls": [{"id": "a", "type": "function", "function": function}],
    }
    assert answered == {"role": "tool", "tool_call_id": "a", "content": "(empty)"}


def test_an_assistant_message_of_nothing_is_not_sent() -> None:
    request = a_request(Message("assistant"), user("Hi"))
    assert [m["role"] for m in body_of(request)["messages"]] == ["system", "user"]


def test_calls_without_text_have_no_content() -> None:
    wire = wire_message(Message("assistant", tool_calls=(ToolCall("a", "ls", ""),)), vision=False)
    assert wire is not None
    assert sorted(wire) == ["role", "tool_calls"]


def test_images_are_parts_for_a_model_that_sees() -> None:
    message = Message("user", "Look", images=(PICTURE, Image("image/png", url="https://a/b.png")))
    assert wire_message(message, vision=True) == {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            {"type": "image_url", "image_url": {"url": "https://a/b.png"}},
        ],
    }


def test_an_image_alone_is_the_only_part() -> None:
    wire = wire_message(Message("user", " ", images=(PICTURE,)), vision=True)
    assert wire is not None
    assert [part["type"] for part in wire["content"]] == ["image_url"]


@pytest.mark.parametrize(("role", "vision"), [("user", False), ("tool", False), ("tool", True)])
def test_images_are_named_where_they_cannot_go(role: Any, vision: bool) -> None:
    message = Message(role, "Look", images=(PICTURE, Image("image/gif")), tool_call_id="a")
    wire = wire_message(message, vision=vision)
    assert wire is not None
    assert wire["content"] == (
        "Look\n[image not shown: image/png, 640 x 480 pixels]\n[image not shown: image/gif]"
    )


def test_a_blank_user_message_has_a_placeholder() -> None:
    assert wire_message(user(" \n"), vision=False) == {"role": "user", "content": "(empty)"}


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        (" null ", {}),
        ("[]", {"invalid_arguments": "[]"}),
        ('{"path": "a', {"invalid_arguments": '{"path": "a'}),
        ('{"p":"a"}{"p":"b"}', {"invalid_arguments": '{"p":"a"}{"p":"b"}'}),
        ('{"t": "\\ud83d\\udd25"}', {"t": "🔥"}),
        ('{"t": "\\ud83d"}', {"t": "\ufffd"}),
        ("\ud83d", {"invalid_arguments": "\ufffd"}),
        ("[" * 100_000, {"invalid_arguments": "[" * 100_000}),
    ],
)
def test_arguments_are_objects_on_the_wire(raw: str, sent: Any) -> None:
    assert json.loads(wire_arguments(raw)) == sent


@given(TEXTS)
def test_any_arguments_are_an_object_in_utf8(raw: str) -> None:
    assert isinstance(json.loads(wire_arguments(raw).encode()), dict)


def test_the_broken_calls_of_the_cases_can_be_sent() -> None:
    calls = json.loads((CASES / "C23a_toolcall.json").read_text())["input"]["calls"]
    for each in calls:
        assert isinstance(json.loads(wire_arguments(each["function"]["arguments"])), dict)
        assert wire_name(each["function"]["name"]).isidentifier()


@given(TEXTS)
def test_any_name_can_be_sent(name: str) -> None:
    sent = wire_name(name)
    assert 1 <= len(sent) <= 64
    assert all(c.isascii() and (c.isalnum() or c in "_-") for c in sent)


def test_names_that_differ_stay_different() -> None:
    tools = [tool(name) for name in ("a.b", "a b", "a_b", "x" * 80)]
    back = names_on_return(tools)
    assert [back.get(wire_name(each.name), each.name) for each in tools] == [t.name for t in tools]
    assert "a_b" not in back


def test_long_ids_are_shortened_alike() -> None:
    assert wire_id("call_1") == "call_1"
    assert len(wire_id("x" * 41)) == 40
    assert wire_id("x" * 41) != wire_id("x" * 42)


def test_every_odd_text_can_be_sent() -> None:
    texts = json.loads((CASES / "C19a_unicode.json").read_text())["input"]["texts"]
    for text in [*texts, "a\x00b"]:
        call = ToolCall(text, text, text)
        messages = (
            user(text),
            Message("assistant", text, (call,)),
            Message("tool", text, (), text),
        )
        request = a_request(*messages, notes=text, instruction=text)
        json.dumps(body_of(request), ensure_ascii=False).encode()


def test_unchanged_messages_are_converted_once() -> None:
    cache, messages = MessageCache(), [user("1"), user("2")]
    before = cache.history(messages[:1], vision=False)
    after = cache.history(messages, vision=False)
    assert after[0] is before[0]
    assert sent(after) == wire_history(messages, vision=False)
    assert len(before) == 1


@pytest.mark.parametrize(
    ("messages", "vision"),
    [((user("1"), user("x")), False), ((user("1"),), False), ((user("1"), user("2")), True)],
)
def test_a_changed_history_is_converted_anew(messages: tuple[Message, ...], vision: bool) -> None:
    cache = MessageCache()
    before = cache.history([user("1"), user("2")], vision=False)
    after = cache.history(messages, vision=vision)
    assert after[0] is not before[0]
    assert sent(after) == wire_history(messages, vision=vision)


def test_messages_that_are_not_sent_do_not_disturb_the_cache() -> None:
    request, cache = a_request(user("1"), Message("assistant"), user("2")), MessageCache()
    for _ in range(2):
        history = cache.history(request.messages, vision=False)
        assert sent(request_body(request, own_api=False, history=history)) == body_of(request)
