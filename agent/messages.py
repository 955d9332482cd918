"""What a conversation is made of. Frozen data without behaviour; storage and wire forms live
elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it; `arguments` is its raw text, valid JSON or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a message: base64 `data` or a `url`; sizes in pixels, 0 = unknown."""

    media_type: str
    data: str = ""
    url: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Thinking:
    """A reasoning block. With a `signature` (or as `redacted` data) it must travel byte-equal or
    not at all.
    """

    text: str = ""
    signature: str = ""
    redacted: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history. `id` is its row, None when derived; `tokens` None when not
    counted.
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    tool_name: str = ""
    images: tuple[Image, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    id: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider reported them; None = not reported, 0 = reported zero.

    `prompt_tokens` is the whole prompt: input + cache read + cache write.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of the model's visible reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A complete response, the last item of every model stream.

    `stop_reason`: "stop", "tool_calls", "length" (output limit reached) or the provider's own word.
    """

    text: str = ""
    thinking: tuple[Thinking, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    stop_reason: str = "stop"


StreamEvent = TextDelta | ThinkingDelta | Usage | ModelResponse


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """What the model is told of a tool; `parameters` is a JSON Schema, `server` names an MCP
    server.
    """

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    server: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call led to: `text` is the JSON object the model gets.

    `full_output` is the uncut text for people, None when nothing was cut.
    """

    call: ToolCall
    text: str
    is_error: bool = False
    truncated: bool = False
    full_output: str | None = None
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What building a request must know of the session's model; sizes in tokens, window None =
    unknown.

    `tokenizer` is a tiktoken vocabulary or "bytes"; `calibration` = measured / estimated.
    """

    name: str
    model_id: str
    window_tokens: int | None
    max_output_tokens: int
    tokenizer: str = "o200k_base"
    calibration: float = 1.0
    notes_role: Literal["developer", "system", "user"] = "user"
    vision: bool = False
