"""The scripted server itself: that what it records is what happened."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.wire.fixture import Wire


def ask(wire: Wire, text: str, path: str = "/chat/completions") -> bytes:
    body = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(wire.base_url + path, data=body), timeout=5) as answer:
        raw: bytes = answer.read()
    return raw


def chunks(raw: bytes) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in raw.decode().split("\n\n") if line]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def text(raw: bytes) -> str:
    choices = [choice for chunk in chunks(raw) for choice in chunk["choices"]]
    return "".join(choice["delta"].get("content", "") for choice in choices)


def test_the_echo_agent_answers_without_a_script(wire: Wire) -> None:
    raw = ask(wire, "Hello there")
    assert text(raw) == "Echo: Hello there"
    assert chunks(raw)[-1]["usage"]["completion_tokens"] == 4
    assert raw.endswith(b"data: [DONE]\n\n")


def test_the_echo_agent_writes_a_handoff(wire: Wire) -> None:
    assert text(ask(wire, "Put it into <handoff>.")).startswith("<handoff>")


def test_replies_are_used_in_order_where_they_fit(wire: Wire) -> None:
    wire.script({"text": "1", "when": "first"}, {"text": "2"}, {"text": "3"})
    assert [text(ask(wire, said)) for said in ("x", "the first", "y")] == ["2", "1", "3"]


def test_requests_are_recorded(wire: Wire) -> None:
    ask(wire, "Hi")
    [request] = wire.wait_for(lambda requests: bool(requests) and requests[0].duration > 0)
    assert request.body == {"messages": [{"role": "user", "content": "Hi"}]}
    assert (request.finished, request.disconnected) == (True, False)


def test_a_refusal_has_status_and_headers(wire: Wire) -> None:
    wire.script({"status": 429, "headers": {"retry-after": "3"}, "body": {"error": "slow"}})
    with pytest.raises(urllib.error.HTTPError) as caught:
        ask(wire, "Hi")
    caught.value.close()
    assert (caught.value.code, caught.value.headers["retry-after"]) == (429, "3")


def test_other_pages_are_answered(wire: Wire) -> None:
    with urllib.request.urlopen(f"{wire.base_url}/models", timeout=5) as answer:
        assert json.load(answer)["data"] == [{"id": "wire"}]
    with pytest.raises(urllib.error.HTTPError, match="404") as caught:
        ask(wire, "Hi", "/elsewhere")
    caught.value.close()
