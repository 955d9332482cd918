"""What the tests of `grep_search` share."""

from typing import Any

from agent.tools.grep_search import GrepSearch
from agent.tools.ripgrep import Ripgrep, find_ripgrep


def ripgrep() -> Ripgrep:
    """The engine that is there after set-up."""
    program = find_ripgrep()
    assert program is not None
    return Ripgrep(program)


async def found(tool: GrepSearch, pattern: str, **arguments: Any) -> str:
    """The content of a search; its lines are its matches."""
    outcome = await tool.run({"pattern": pattern, **arguments})
    assert outcome.data["matches"] == outcome.data["content"].count("\n")
    return str(outcome.data["content"])
