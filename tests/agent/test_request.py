import pytest

from agent.manifest import PromptPart
from agent.messages import Message, ModelSpec, ToolDefinition
from agent.request import SAFETY_TOKENS, fits, output_budget
from agent.testing import check_request, make_builder, make_conversation
from agent.tokens import MESSAGE_OVERHEAD, TokenEstimator

PARTS = (
    PromptPart("persona", "Persona", "Be kind.\n\n"),
    PromptPart("skills", "Skills", "- a\n\n", 1),
)
count = TokenEstimator().text


def test_the_system_prompt_is_its_parts_joined() -> None:
    request = make_builder(parts=PARTS).build(make_conversation(Message("user", "hi")))
    assert request.system == "Be kind.\n\n- a\n\n"
    check_request(request)


def test_sections_stand_in_the_order_prompt_handoff_messages_notes() -> None:
    builder = make_builder(parts=PARTS)
    request = builder.build(
        make_conversation(Message("user", "hi"), summary="Before."), notes="Note."
    )
    assert [(s.key, s.tokens, s.count) for s in request.manifest.sections] == [
        ("persona", count("Be kind.\n\n"), None),
        ("skills", count("- a\n\n"), 1),
        ("handoff", count("Handoff: Before.") + MESSAGE_OVERHEAD, None),
        ("messages", count("hi") + MESSAGE_OVERHEAD, 1),
        ("context_notes", count("Note.") + MESSAGE_OVERHEAD, None),
    ]
    check_request(request)


def test_a_user_message_that_begins_with_the_handoff_heading_is_a_message() -> None:
    conversation = make_conversation(Message("user", "## Session handoff\n\nGo on."))
    keys = [row.key for row in make_builder(parts=PARTS).build(conversation).manifest.sections]
    assert keys == ["persona", "skills", "messages"]


def test_tools_are_counted_outside_the_sections_and_by_server() -> None:
    tools = (ToolDefinition("a", "A."), ToolDefinition("b", "B.", server="files"))
    manifest = make_builder(tools=tools).build(make_conversation()).manifest
    estimator = TokenEstimator()
    assert manifest.tools.tokens == estimator.tools(tools)
    assert manifest.tools.per_server == (("files", estimator.tool(tools[1])),)
    assert manifest.estimated == manifest.tools.tokens + sum(s.tokens for s in manifest.sections)


@pytest.mark.parametrize(
    ("estimated", "window", "expected"),
    [(976, 2_000, True), (977, 2_000, False), (10**9, None, True)],
)
def test_a_request_fits_with_a_margin(estimated: int, window: int | None, expected: bool) -> None:
    assert SAFETY_TOKENS == 1_024
    assert fits(estimated, window) is expected


@pytest.mark.parametrize(
    ("window", "estimated", "budget"),
    [(None, 9_999, 500), (1_000, 100, 500), (1_000, 700, 300), (10, 99, 1)],
)
def test_max_output_is_lowered_to_what_is_left(
    window: int | None, estimated: int, budget: int
) -> None:
    spec = ModelSpec("m", "m-1", window, max_output_tokens=500)
    assert output_budget(spec, estimated) == budget
