"""A skill's name and description, from the YAML front matter of its SKILL.md."""

import yaml

from agent.prompt.context import Skill

NAME_CHARS = 64
DESCRIPTION_CHARS = 1_024  # what is longer is cut
_FENCE = "---"

# Every scalar is text, and there are no merge keys, which grow without bound. Deep nesting costs
# the Python version seconds; libyaml refuses it at once.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def parse_skill(text: str, path: str) -> Skill:
    """The skill that the text of `path` describes. Raises ValueError with what is wrong in it."""
    fields = _front_matter(text)
    name, description = _text(fields, "name"), _text(fields, "description")
    if len(name) > NAME_CHARS:
        raise ValueError(f"name has {len(name)} characters; allowed are {NAME_CHARS}")
    if len(description) > DESCRIPTION_CHARS:
        description = description[: DESCRIPTION_CHARS - 1] + "…"
    return Skill(name, description, path)


def _front_matter(text: str) -> dict[object, object]:
    lines = [line.rstrip() for line in text.splitlines()]
    if lines[:1] != [_FENCE] or _FENCE not in lines[1:]:
        raise ValueError(f"no front matter between two lines {_FENCE!r} at the beginning")
    source = "\n".join(lines[1 : lines.index(_FENCE, 1)])
    try:
        fields = yaml.load(source, Loader=LOADER)  # noqa: S506 - makes texts, lists and dicts only
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"front matter is no valid YAML: {reason}") from error
    if not isinstance(fields, dict):
        raise ValueError("front matter is no mapping of names to values")
    return fields


def _text(fields: dict[object, object], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"front matter has no text for {key!r}")
    return value.strip()
