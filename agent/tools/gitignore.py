"""The rules of one `.gitignore`, as git reads them, in time that no planted rule can blow up.

A rule such as `*a*a*a*a*a*b`, made a plain regular expression, takes minutes for one long file name
(pathspec 1.1: 3 s for 90 characters). So the rules are matched by `PathPattern`; the tests compare
their verdicts with pathspec's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.tools.glob_pattern import PathPattern

MAX_RULES = 1_000  # later rules are not read
MAX_RULE_CHARS = 500  # longer ones are skipped


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line: what it matches, and whether that is ignored or (`!`) kept."""

    pattern: PathPattern
    ignores: bool
    folders_only: bool
    by_name: bool  # without a slash inside: matches at any depth, by the last name alone


class IgnoreRules:
    """All rules of one file; paths are relative to the folder that holds it."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n", MAX_RULES)[:MAX_RULES]
        rules = [rule for line in lines if (rule := _rule(line)) is not None]
        self._latest_first = rules[::-1]

    def verdict(self, names: Sequence[str], *, is_folder: bool) -> bool | None:
        """True: ignored. False: kept by a `!` rule. None: no rule speaks of this path."""
        for rule in self._latest_first:
            if rule.folders_only and not is_folder:
                continue
            if rule.pattern.matches(names[-1:] if rule.by_name else names):
                return rule.ignores
        return None


def _rule(line: str) -> IgnoreRule | None:
    line = line.rstrip("\r")
    stripped = line.rstrip(" ")
    if stripped.endswith("\\") and stripped != line:
        stripped += " "  # an escaped blank at the end belongs to the name
    keeps = stripped.startswith("!")
    text = stripped[1:] if keeps else stripped
    segments = [segment for segment in text.split("/") if segment]
    if not segments or stripped.startswith("#") or len(line) > MAX_RULE_CHARS:
        return None
    return IgnoreRule(
        pattern=PathPattern(segments),
        ignores=not keeps,
        folders_only=text.endswith("/"),
        by_name="/" not in text.rstrip("/"),
    )
