"""Small real requests for the clients' tests."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from agent.history import Conversation
from agent.manifest import ContextManifest, PromptPart, SectionStat, ToolsStat
from agent.messages import (
    Message,
    ModelResponse,
    ModelSpec,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolDefinition,
)
from agent.protocols import ModelClient
from agent.request import ModelRequest
from agent.testing import make_history

SPEC = ModelSpec(name="Test", model_id="test-1", window_tokens=16_000, max_output_tokens=1_000)
SECTIONS = (SectionStat("persona", "Persona", 12), SectionStat("messages", "Messages", 30, 1))


def user(text: str) -> Message:
    """What a person wrote."""
    return Message(role="user", content=text)


def tool(name: str, **parameters: Any) -> ToolDefinition:
    """A tool with these properties."""
    schema = {"type": "object", "properties": parameters} if parameters else {}
    return ToolDefinition(name=name, description=f"Does {name}.", parameters=schema)


def a_request(
    *messages: Message, spec: ModelSpec = SPEC, summary: str = "", **fields: Any
) -> ModelRequest:
    """A request with these messages after this summary; `fields` replace the rest."""
    sent = messages or (() if summary else (user("Hi"),))
    handoff = f"Handoff: {summary}" if summary else ""
    defaults: dict[str, Any] = {
        "parts": (PromptPart("persona", "Persona", "Be kind.\n\n"),),
        "system": "Be kind.\n\n",
        "conversation": Conversation(make_history(*sent), summary, handoff),
        "tools": (),
        "max_output_tokens": spec.max_output_tokens,
        "manifest": ContextManifest(SECTIONS, ToolsStat(5, 1), window_tokens=spec.window_tokens),
    }
    return ModelRequest(spec=spec, messages=sent, **{**defaults, **fields})


async def events_of(stream: AsyncGenerator[StreamEvent, None]) -> list[StreamEvent]:
    """All events; the stream is closed afterwards."""
    async with aclosing(stream) as events:
        return [event async for event in events]


async def response_of(client: ModelClient, request: ModelRequest) -> ModelResponse:
    """The response, whose text must be what the deltas showed."""
    events = await events_of(client.stream(request))
    response = events[-1]
    assert isinstance(response, ModelResponse)
    assert text_of(events) == response.text
    return response


def text_of(events: Sequence[StreamEvent]) -> str:
    """The text deltas joined."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thinking_of(events: Sequence[StreamEvent]) -> str:
    """The thinking deltas joined."""
    return "".join(event.text for event in events if isinstance(event, ThinkingDelta))
