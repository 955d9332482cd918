"""Where the shared cases are: beside the repository in CI, maybe nowhere elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest

SHARED_CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"

needs_shared_cases = pytest.mark.skipif(
    not SHARED_CASES.is_dir(), reason="the folder ../shared/cases is not there"
)


def shared_case(name: str) -> Any:
    """The parsed JSON file of this name below the shared cases, None where they are absent."""
    path = SHARED_CASES / name
    return json.loads(path.read_text()) if path.is_file() else None
