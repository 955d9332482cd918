"""Stored messages for compaction tests, and a strategy for any that a database may hold."""

from dataclasses import replace

from hypothesis import strategies as st

from agent.messages import Image, Message, Thinking, ToolCall

IDS = ["a", "b", "c", "d", "e"]


def user(text: str = "hello") -> Message:
    return Message("user", text)


def asks(*ids: str, text: str = "", signed: bool = False) -> Message:
    thinking = (Thinking("step", signature="SIG"),) if signed else ()
    calls = tuple(ToolCall(i, "read", '{"path": "x.py"}') for i in ids)
    return Message("assistant", text, tool_calls=calls, thinking=thinking)


def result(call_id: str, text: str = "ok") -> Message:
    return Message("tool", text, tool_call_id=call_id, tool_name="read")


def answer(text: str = "done") -> Message:
    return Message("assistant", text)


def numbered(messages: list[Message]) -> list[Message]:
    """The messages with rising ids, as a database gives them."""
    return [replace(message, id=10 + 2 * index) for index, message in enumerate(messages)]


_image = Image("image/png", "QUJD", width=800, height=600)
stored = st.lists(
    st.one_of(
        st.builds(user, st.sampled_from(["hi", "never touch b", "x" * 2_000])),
        st.just(Message("user", "look", images=(_image,))),
        st.builds(
            lambda ids, text, signed: asks(*ids, text=text, signed=signed),
            st.lists(st.sampled_from(IDS), max_size=4),
            st.sampled_from(["", "reading"]),
            st.booleans(),
        ),
        st.builds(result, st.sampled_from([*IDS, "orphan"]), st.sampled_from(["ok", "y" * 3_000])),
    ),
    max_size=30,
).map(numbered)
