"""Every combination of channel, workspace kind, memories, experiences and rules, in both languages.

Each section's variants are kept in full, each combination as the hash of its joined prompt.
After a wanted change: `UPDATE_SNAPSHOTS=1 python -m pytest tests/agent/prompt/test_snapshots.py`.
"""

import hashlib
import itertools
import json
import os
from pathlib import Path

import pytest

from agent.manifest import PromptPart
from agent.prompt.context import CHANNELS, WORKSPACE_KINDS
from tests.agent.prompt.contexts import ENGINE, FULL, context, facts

FOLDER = Path(__file__).parent / "snapshots"
RULES = {
    "short rules": "# Rules\n\nRun the tests before you finish.\n",
    "long rules": "".join(f"Rule {number}.\n" for number in range(1, 202)),
}
CHOICES = (CHANNELS, WORKSPACE_KINDS, ("memories", ""), ("experiences", ""), tuple(RULES))


def combinations(language: str) -> dict[str, tuple[PromptPart, ...]]:
    """The parts of all 48 prompts of a language by a readable name."""
    found = {}
    for channel, kind, memories, experiences, rules in itertools.product(*CHOICES):
        name = ", ".join(word for word in (channel, kind, memories, experiences, rules) if word)
        found[name] = ENGINE.parts(
            context(
                language=language,
                channel=channel,
                workspace_kind=kind,
                memories=FULL.memories if memories else (),
                experiences=FULL.experiences if experiences else (),
                workspace=facts(agents_md=RULES[rules]),
            )
        )
    return found


def variants(prompts: dict[str, tuple[PromptPart, ...]]) -> str:
    """Each different section text once, under its key and the combination it first came in."""
    first: dict[tuple[str, str], str] = {}
    for name, parts in prompts.items():
        for part in parts:
            first.setdefault((part.key, part.text), name)
    ordered = sorted(first.items(), key=lambda item: item[0][0])
    return "".join(f"===== {key} ({name})\n{text}" for (key, text), name in ordered)


def compare(path: Path, text: str) -> None:
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_keeps_every_section_as_it_was(language: str) -> None:
    compare(FOLDER / f"sections.{language}.txt", variants(combinations(language)))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_keeps_every_combination_as_it_was(language: str) -> None:
    prompts = combinations(language)
    hashes = {
        name: hashlib.sha256("".join(part.text for part in parts).encode()).hexdigest()
        for name, parts in prompts.items()
    }
    assert len(hashes) == 48
    compare(FOLDER / f"prompts.{language}.json", json.dumps(hashes, indent=1) + "\n")
