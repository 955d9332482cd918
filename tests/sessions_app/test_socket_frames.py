"""What a client may send, and what it is told when it sends something else."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessions_app import limits, socket_frames
from sessions_app.consumers import SessionSocket
from sessions_app.socket_frames import (
    BadFrame,
    Cancel,
    CompactNow,
    Ping,
    SendMessage,
    Subscribe,
    parse,
)

GOOD = [
    ('{"type":"ping"}', ("ping", Ping())),
    ('{"type":"ping","data":{}}', ("ping", Ping())),
    ('{"data":{},"type":"cancel"}', ("cancel", Cancel())),
    ('{"type":"subscribe"}', ("subscribe", Subscribe(None))),
    ('{"type":"subscribe","data":{"after":0}}', ("subscribe", Subscribe(0))),
    ('{"type":"subscribe","data":{"after":-1}}', ("subscribe", Subscribe(-1))),
    ('{"type":"compact_now"}', ("compact_now", CompactNow("", ""))),
    (
        '{"type":"compact_now","data":{"instructions":" a\\u0000 ","tier":"light"}}',
        ("compact_now", CompactNow("a\u2400", "light")),
    ),
    (
        '{"type":"send_message","data":{"content":" hi ","eventId":"e"}}',
        ("send_message", SendMessage(" hi ", "e")),
    ),
    (
        '{"type":"send_message","data":{"content":"a\\u0000\\ud800","eventId":"\\udc97"}}',
        ("send_message", SendMessage("a\u2400\ufffd", "\ufffd")),
    ),
    (
        '{"type":"send_message","data":{"content":"\\ud83c\\udf78","eventId":"e"}}',
        ("send_message", SendMessage("\U0001f378", "e")),
    ),
]


@pytest.mark.parametrize(("text", "expected"), GOOD)
def test_it_parses_a_frame(text: str, expected: Any) -> None:
    assert parse(text) == expected


def message(**data: Any) -> str:
    return json.dumps({"type": "send_message", "data": data})


TEXT = "allowed: a text that is not blank."
INTEGER = "allowed: a whole number."
OBJECT = "allowed: an object."
TYPES = "allowed: send_message, cancel, compact_now, subscribe, ping."
TIERS = "allowed: light, standard, heavy."
BAD = [
    (None, "The frame is binary; allowed: text."),
    ("", "The frame is empty; allowed: a JSON object."),
    ("hello", "Not valid JSON for this API: Expecting value: line 1 column 1 (char 0)."),
    ("[1]", "Not valid JSON for this API: not an object; allowed: {...}."),
    ("null", "Not valid JSON for this API: not an object; allowed: {...}."),
    ("\ud800", "Not valid JSON for this API: not UTF-8 at byte 0."),
    ('{"type":NaN}', "Not valid JSON for this API: NaN is no number in JSON."),
    ('{"type":-Infinity}', "Not valid JSON for this API: -Infinity is no number in JSON."),
    ('{"type":1e999}', "Not valid JSON for this API: 1e999 is too large."),
    (
        '{"type":"ping","type":"cancel"}',
        "Not valid JSON for this API: the key 'type' stands twice in one object.",
    ),
    ("{" * 200_000, "Not valid JSON for this API: nested too deep; allowed: 24 levels."),
    (
        '{"type":"ping","data":' + "[" * 24 + "]" * 24 + "}",
        "Not valid JSON for this API: nested too deep; allowed: 24 levels.",
    ),
    ("{}", f"The type None is not known; {TYPES}"),
    ('{"type":"pong"}', f"The type 'pong' is not known; {TYPES}"),
    ('{"type":["ping"]}', f"The type ['ping'] is not known; {TYPES}"),
    ('{"type":"ping","seq":1}', "'seq' is not a key of the frame; allowed: data, type."),
    ('{"type":"ping","data":null}', f"data is None; {OBJECT}"),
    ('{"type":"ping","data":[]}', f"data is []; {OBJECT}"),
    ('{"type":"ping","data":{"user":1}}', "'user' is not a key of data; allowed: none."),
    ('{"type":"cancel","data":{"id":1}}', "'id' is not a key of data; allowed: none."),
    ('{"type":"subscribe","data":{"after":"abc"}}', f"after is 'abc'; {INTEGER}"),
    ('{"type":"subscribe","data":{"after":true}}', f"after is True; {INTEGER}"),
    ('{"type":"subscribe","data":{"after":1.0}}', f"after is 1.0; {INTEGER}"),
    ('{"type":"subscribe","data":{"after":null}}', f"after is None; {INTEGER}"),
    (message(eventId="e"), f"content is missing; {TEXT}"),
    (message(content="hi"), f"eventId is missing; {TEXT}"),
    (message(content=" \n", eventId="e"), f"content is ' \\n'; {TEXT}"),
    (message(content="hi", eventId=""), f"eventId is ''; {TEXT}"),
    (message(content=7, eventId="e"), f"content is 7; {TEXT}"),
    (
        message(content="x" * 200_001, eventId="e"),
        "content: Too long; allowed: at most 200000 characters.",
    ),
    (
        message(content="hi", eventId="e" * 201),
        "eventId: Too long; allowed: at most 200 characters.",
    ),
    (
        message(content="hi", eventId="e", level="FULL"),
        "'level' is not a key of data; allowed: content, eventId.",
    ),
    ('{"type":"compact_now","data":{"tier":"tiny"}}', f"tier is 'tiny'; {TIERS}"),
    ('{"type":"compact_now","data":{"tier":["light"]}}', f"tier is ['light']; {TIERS}"),
    (
        '{"type":"compact_now","data":{"instructions":1}}',
        "instructions is 1; allowed: a text.",
    ),
    (
        '{"type":"compact_now","data":{"instructions":"' + "x" * 2_001 + '"}}',
        "instructions: Too long; allowed: at most 2000 characters.",
    ),
    (
        '{"type":"compact_now","data":{"focus":"x"}}',
        "'focus' is not a key of data; allowed: instructions, tier.",
    ),
    (
        message(content="x" * socket_frames.MAX_BYTES, eventId="e"),
        "The frame has 262209 bytes; allowed: 262144.",
    ),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_it_says_what_is_wrong_and_what_is_allowed(text: str | None, reason: str) -> None:
    with pytest.raises(BadFrame) as refused:
        parse(text)
    assert str(refused.value) == reason


def test_it_counts_bytes_and_takes_exactly_256_kib() -> None:
    room = socket_frames.MAX_BYTES - len(message(content="", eventId="e"))
    frame = (
        f'{{"type": "send_message", "data": {{"content": "{"é" * (room // 2)}", "eventId": "e"}}}}'
    )
    assert len(frame.encode()) in {socket_frames.MAX_BYTES, socket_frames.MAX_BYTES - 1}
    assert parse(frame)[0] == "send_message"
    with pytest.raises(BadFrame):
        parse(frame + "  ")


def test_it_takes_a_message_as_long_as_rest_does() -> None:
    text = "x" * limits.CONTENT_CHARS
    assert parse(message(content=text, eventId="e")) == ("send_message", SendMessage(text, "e"))


def test_each_type_has_its_handler() -> None:
    assert all(callable(getattr(SessionSocket, f"on_{type_}")) for type_ in socket_frames.PARSERS)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
FRAMES = st.fixed_dictionaries(
    {"type": st.sampled_from(list(socket_frames.PARSERS)) | JSON}, optional={"data": JSON}
)


@given(st.text() | st.builds(json.dumps, FRAMES | JSON))
@example('{"type":"subscribe","data":{"after":' + "9" * 5_000 + "}}")
def test_it_takes_a_frame_or_says_why_not(text: str) -> None:
    try:
        answer = parse(text)[0]
    except BadFrame as error:
        answer = str(error)
    assert answer in socket_frames.PARSERS or "allowed" in answer or "Not valid JSON" in answer
