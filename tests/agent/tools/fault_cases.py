"""The small fault cases of tests/cases, their text notation expanded."""

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parents[2] / "cases"


def fault_case(name: str) -> Any:
    """The input of a case file."""
    return _expanded(json.loads((CASES / f"{name}.json").read_text())["input"])


def _expanded(value: Any) -> Any:
    if isinstance(value, list):
        return [_expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        return value["$repeat"] * value["times"]
    if "$concat" in value:
        return "".join(_expanded(value["$concat"]))
    return {key: _expanded(item) for key, item in value.items()}
