"""`save_memory`: proposes, and says what became of it."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from agent.errors import ToolError
from agent.tools.save_memory import Proposal, SaveMemory


@dataclass
class Notebook:
    """Proposals kept in a list; the next one is answered with `answer`."""

    answer: Proposal = field(default_factory=lambda: Proposal(12, "PROPOSED", is_new=True))
    written: list[tuple[str, str]] = field(default_factory=list)

    async def propose(self, content: str, scope: str) -> Proposal:
        self.written.append((content, scope))
        return self.answer


async def save(notebook: Notebook, **arguments: Any) -> dict[str, Any]:
    return dict((await SaveMemory(notebook).run(arguments)).data)


async def test_it_proposes_for_all_sessions_of_the_user() -> None:
    notebook = Notebook()
    result = await save(notebook, content="Likes tea")
    assert result == {"ok": True, "status": "proposed", "memoryId": 12}
    assert notebook.written == [("Likes tea", "USER")]


async def test_it_proposes_for_the_project_when_told_so() -> None:
    notebook = Notebook()
    await save(notebook, content="uses tabs", scope="PROJECT")
    assert notebook.written == [("uses tabs", "PROJECT")]


@pytest.mark.parametrize("status", ["PROPOSED", "ACTIVE"])
async def test_it_says_that_one_exists_already(status: str) -> None:
    result = await save(Notebook(Proposal(3, status, is_new=False)), content="Likes tea")
    expected = {"ok": True, "status": status.lower(), "memoryId": 3}
    note = {"note": "this memory exists already; nothing was written"}
    assert result == {**expected, **note}


async def test_it_does_not_ask_again_for_what_the_user_dismissed() -> None:
    result = await save(Notebook(Proposal(3, "DISMISSED", is_new=False)), content="Likes tea")
    assert (result["ok"], result["memoryId"]) == (False, 3)
    assert "the user has dismissed this memory before" in result["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, 'argument "content" is missing'),
        ({"content": ""}, "argument \"content\" is '': it should have at least 1 character"),
        ({"content": "x", "scope": "TEAM"}, "it should be 'USER' or 'PROJECT'"),
        ({"content": "x", "status": "ACTIVE"}, 'argument "status" is unknown; allowed: content'),
    ],
)
async def test_it_refuses_bad_arguments(arguments: dict[str, Any], words: str) -> None:
    notebook = Notebook()
    with pytest.raises(ToolError, match=words):
        await save(notebook, **arguments)
    assert notebook.written == []
