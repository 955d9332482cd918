"""The Context Manifest: where each token of a request comes from. Made by `request.build_request`
only.
"""

from dataclasses import dataclass, replace
from typing import Any

import orjson

FRAME_LIMIT_BYTES = 8 * 1024  # of the serialised manifest; mission A6


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One rendered section of the system prompt. `text` carries its own trailing blank line.

    The system prompt is the parts' texts joined with the empty string, byte for byte.
    """

    key: str
    label: str
    text: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class SectionStat:
    """One row of the composition; `tokens` is an estimate, `count` the items in it, where that
    means something.
    """

    key: str
    label: str
    tokens: int
    count: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The protocol's shape; `count` is absent when None."""
        row: dict[str, Any] = {"key": self.key, "label": self.label, "tokens": self.tokens}
        if self.count is not None:
            row["count"] = self.count
        return row


@dataclass(frozen=True, slots=True)
class ToolsStat:
    """Tokens of the tool definitions; `per_server` splits those of MCP servers."""

    tokens: int
    count: int
    per_server: tuple[tuple[str, int], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The protocol's shape; `perServer` is absent without MCP servers."""
        row: dict[str, Any] = {"tokens": self.tokens, "count": self.count}
        if self.per_server:
            row["perServer"] = dict(self.per_server)
        return row


@dataclass(frozen=True, slots=True)
class ContextManifest:
    """Composition of one request. Sections stand in the order prompt sections, handoff, messages,
    notes.
    """

    sections: tuple[SectionStat, ...]
    tools: ToolsStat
    memory_ids: tuple[int, ...] = ()
    window_tokens: int | None = None
    compact_at_tokens: int | None = None
    request_id: int | None = None
    reconstructed: bool = False

    @property
    def estimated(self) -> int:
        """Sum of sections + tools, tokens."""
        return sum(section.tokens for section in self.sections) + self.tools.tokens

    def with_request_id(self, request_id: int | None) -> "ContextManifest":
        """The same manifest, stamped with its request log row."""
        return replace(self, request_id=request_id)

    def as_dict(self) -> dict[str, Any]:
        """The protocol's shape."""
        shape: dict[str, Any] = {
            "sections": [section.as_dict() for section in self.sections],
            "memoryIds": list(self.memory_ids),
            "estimatedWindowTokens": self.window_tokens,
            "tools": self.tools.as_dict(),
            "compactAtTokens": self.compact_at_tokens,
            "requestId": self.request_id,
        }
        if self.reconstructed:
            shape["reconstructed"] = True
        return shape

    def fit(self, limit_bytes: int = FRAME_LIMIT_BYTES) -> dict[str, Any] | None:
        """The shape for a frame: `memoryIds` halved until it fits `limit_bytes` (UTF-8), None if it
        never does.
        """
        shape = self.as_dict()
        while len(orjson.dumps(shape)) > limit_bytes:
            if not shape["memoryIds"]:
                return None
            shape["memoryIds"] = shape["memoryIds"][: len(shape["memoryIds"]) // 2]
        return shape
