"""Keeps what was sent to a model: each text once, by content hash."""

import hashlib

import orjson

from agent.request import ModelRequest
from sessions_app.models import PromptPart

Row = tuple[str, str, int, str]  # key, label, tokens, sha256 of the text


def part_rows(request: ModelRequest) -> tuple[list[Row], dict[str, str]]:
    """The request's parts in wire order (sections, tools, handoff, notes) and the texts by hash."""
    stats = {row.key: row for row in request.manifest.sections}
    texts = [(part.key, part.text) for part in request.parts]
    if request.tools:
        definitions = [
            {"name": t.name, "description": t.description, "parameters": dict(t.parameters)}
            for t in request.tools
        ]
        texts.append(("tools", orjson.dumps(definitions, option=orjson.OPT_INDENT_2).decode()))
    texts += [("handoff", request.handoff), ("context_notes", request.notes)]
    rows: list[Row] = []
    by_hash: dict[str, str] = {}
    for key, text in texts:
        if not text:
            continue
        digest = hashlib.sha256(text.encode()).hexdigest()
        by_hash[digest] = text
        tokens = request.manifest.tools.tokens if key == "tools" else stats[key].tokens
        rows.append((key, "" if key == "tools" else stats[key].label, tokens, digest))
    return rows, by_hash


def store(texts: dict[str, str], *, known: set[str]) -> None:
    """Insert the texts that are new to this run (`known` grows) and to the database."""
    new = {digest: text for digest, text in texts.items() if digest not in known}
    rows = [PromptPart(hash=digest, text=text) for digest, text in new.items()]
    PromptPart.objects.bulk_create(rows, ignore_conflicts=True)
    known.update(new)
