"""Keeps what was sent to a model: each text once, by content hash."""

import hashlib
from collections.abc import Sequence
from typing import Any

import orjson

from agent import manifest
from agent.messages import ToolDefinition
from agent.request import ModelRequest, RequestBuilder
from sessions_app.models import PromptPart

Row = tuple[str, str, int, str]  # key, label, tokens, sha256 of the text


def part_rows(request: ModelRequest) -> tuple[list[Row], dict[str, str]]:
    """The request's parts in wire order (sections, tools, handoff, notes) and the texts by hash."""
    stats = {row.key: row for row in request.manifest.sections}
    texts = _fixed_texts(request.parts, request.tools)
    texts += [("handoff", request.handoff), ("context_notes", request.notes)]
    rows: list[Row] = []
    by_hash: dict[str, str] = {}
    for key, text in texts:
        if not text:
            continue
        digest = _hash(text)
        by_hash[digest] = text
        tokens = request.manifest.tools.tokens if key == "tools" else stats[key].tokens
        rows.append((key, "" if key == "tools" else stats[key].label, tokens, digest))
    return rows, by_hash


def builder_hashes(builder: RequestBuilder) -> list[str]:
    """What `fixed_hashes` gives for a request of this builder."""
    return [_hash(text) for _, text in _fixed_texts(builder.parts, builder.tools)]


def fixed_hashes(rows: Sequence[Sequence[Any]]) -> list[str]:
    """The hashes of a logged request's system prompt and tools, which stay the same for a run."""
    return [row[3] for row in rows if row[0] not in {"handoff", "context_notes"}]


def _fixed_texts(
    parts: Sequence[manifest.PromptPart], tools: Sequence[ToolDefinition]
) -> list[tuple[str, str]]:
    texts = [(part.key, part.text) for part in parts]
    if tools:
        definitions = [
            {"name": t.name, "description": t.description, "parameters": dict(t.parameters)}
            for t in tools
        ]
        texts.append(("tools", orjson.dumps(definitions, option=orjson.OPT_INDENT_2).decode()))
    return texts


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def store(texts: dict[str, str], *, known: set[str]) -> None:
    """Insert the texts that are new to this run (`known` grows) and to the database."""
    new = {digest: text for digest, text in texts.items() if digest not in known}
    rows = [PromptPart(hash=digest, text=text) for digest, text in new.items()]
    PromptPart.objects.bulk_create(rows, ignore_conflicts=True)
    known.update(new)
