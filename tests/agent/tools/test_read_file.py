from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.protocols import ToolOutcome
from agent.tools import read_file
from agent.tools.paths import Workspace
from agent.tools.read_file import MAX_CHARS, ReadFile
from agent.tools.truncation import cut
from tests.agent.tools.conftest import Write
from tests.agent.tools.fault_cases import fault_case


@pytest.fixture
def tool(workspace: Workspace) -> ReadFile:
    return ReadFile(workspace)


async def refusal(tool: ReadFile, **arguments: Any) -> str:
    with pytest.raises(ToolError) as caught:
        await tool.run(arguments)
    return str(caught.value)


async def test_it_returns_the_whole_file(tool: ReadFile, write: Write) -> None:
    write("a/b.txt", "one\r\ntwo\n")
    outcome = await tool.run({"path": "./a//b.txt"})
    assert outcome.data == {
        "path": "a/b.txt",
        "offset": 1,
        "total_lines": 2,
        "content": "one\r\ntwo\n",
    }


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ({"offset": 2}, "2\n3\n4"),
        ({"offset": 2, "limit": 2}, "2\n3\n"),
        ({"limit": 1}, "1\n"),
        ({"offset": 4}, "4"),
        ({"offset": 3, "limit": 99}, "3\n4"),
        ({"offset": 3, "limit": None}, "3\n4"),
        ({"offset": 2, "column": 2, "limit": 1}, "\n"),
        ({"column": 3}, "2\n3\n4"),
    ],
)
async def test_it_returns_the_lines_asked_for(
    tool: ReadFile, write: Write, arguments: dict[str, Any], content: str
) -> None:
    write("a", "1\n2\n3\n4")
    outcome = await tool.run({"path": "a", **arguments})
    assert (outcome.data["content"], outcome.data["total_lines"]) == (content, 4)
    assert "truncated" not in outcome.data


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\u2028b\x0c", 1)],
)
async def test_only_a_line_feed_ends_a_line(
    tool: ReadFile, write: Write, text: str, lines: int
) -> None:
    write("a", text)
    outcome = await tool.run({"path": "a"})
    assert (outcome.data["content"], outcome.data["total_lines"]) == (text, lines)


async def test_places_that_are_not_there_are_refused(tool: ReadFile, write: Write) -> None:
    write("a", "1\n22\n")
    write("empty")
    assert await refusal(tool, path="a", offset=3) == 'argument "offset" is 3: the file has 2 lines'
    assert await refusal(tool, path="empty", offset=2) == (
        'argument "offset" is 2: the file has 0 lines'
    )
    assert await refusal(tool, path="a", column=4) == (
        'argument "column" is 4: line 1 has 2 characters'
    )
    assert await refusal(tool, path="a", offset=0) == (
        'argument "offset" is 0: it should be greater than or equal to 1'
    )


@pytest.mark.parametrize(("size", "truncated"), [(MAX_CHARS, None), (MAX_CHARS + 1, True)])
async def test_exactly_the_limit_is_not_cut(
    tool: ReadFile, write: Write, size: int, truncated: bool | None
) -> None:
    write("a", "é" * size)
    outcome = await tool.run({"path": "a"})
    assert outcome.data.get("truncated") is truncated
    assert outcome.data["content"] == "é" * MAX_CHARS


async def test_a_cut_says_its_size_and_where_to_go_on(tool: ReadFile, write: Write) -> None:
    text = "123456789\n" * 6_000
    write("a", text)
    outcome = await tool.run({"path": "a"})
    assert outcome.data["original_characters"] == 60_000
    assert outcome.data["resume"] == 'read_file with the same path and "offset": 5001'
    assert outcome.full_output == text
    rest = await tool.run({"path": "a", "offset": 5_001})
    assert outcome.data["content"] + rest.data["content"] == text


async def test_a_line_cut_in_the_middle_comes_again_as_a_whole(
    tool: ReadFile, write: Write
) -> None:
    write("a", "12345678\n" * 6_000)
    outcome = await tool.run({"path": "a", "offset": 2})
    assert outcome.data["resume"] == (
        'read_file with the same path and "offset": 5557 (line 5557, the last one here, is cut '
        "and comes again as a whole)"
    )


async def test_a_line_longer_than_the_limit_can_be_read_on(tool: ReadFile, write: Write) -> None:
    line = "".join(str(number) for number in range(20_000))
    write("a", f"first\n{line}\nlast")
    read = ""
    column = 1
    while len(read) < len(line):
        outcome = await tool.run({"path": "a", "offset": 2, "limit": 1, "column": column})
        read += outcome.data["content"]
        column += MAX_CHARS
        if outcome.data.get("truncated"):
            assert outcome.data["resume"].endswith(f'"offset": 2 and "column": {column}')
    assert read == f"{line}\n"


async def test_a_further_cut_has_its_own_hint(tool: ReadFile, write: Write) -> None:
    write("a", "123456789\n" * 6_000)
    outcome = cut(await tool.run({"path": "a"}), 20)
    assert outcome.data["resume"] == 'read_file with the same path and "offset": 3'
    assert outcome.data["original_characters"] == 60_000


async def test_other_encodings_are_read(tool: ReadFile, write: Write) -> None:
    write("utf16", "naïve\n".encode("utf-16"))
    write("bom", b"\xef\xbb\xbfab")
    write("latin1", "naïve".encode("latin-1"))
    contents = [(await tool.run({"path": name})).data["content"] for name in ("utf16", "bom")]
    assert contents == ["naïve\n", "ab"]
    assert (await tool.run({"path": "latin1"})).data["content"] == "na�ve"


async def test_the_bytes_of_fault_case_c20a_can_be_read(tool: ReadFile, write: Write) -> None:
    seen = []
    for raw in fault_case("C20a_unicode")["outputs_hex"]:
        write("a", bytes.fromhex(raw))
        try:
            seen.append((await tool.run({"path": "a"})).data["content"])
        except ToolError as error:
            seen.append(str(error))
    assert seen == [
        "AB",
        "ab",
        "path 'a' is a binary file; read_file reads text only",
        "�",
        "�",
    ]


async def test_the_long_line_of_fault_case_c39a_is_cut(tool: ReadFile, write: Write) -> None:
    text = fault_case("C39a_huge-output")["outputs"][0]["text"]
    write("a", text)
    outcome = await tool.run({"path": "a"})
    assert outcome.data["truncated"] is True
    assert outcome.data["original_characters"] == len(text)
    assert len(outcome.data["content"]) == MAX_CHARS


async def test_a_file_over_the_limit_is_refused_unread(tool: ReadFile, write: Write) -> None:
    with write("a").open("wb") as file:
        file.truncate(1 << 40)
    assert await refusal(tool, path="a") == (
        "path 'a' has 1,099,511,627,776 bytes; read_file reads files up to 20,971,520"
    )


async def test_a_file_that_grows_over_the_limit_is_refused(
    tool: ReadFile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(read_file, "MAX_FILE_BYTES", 10)
    workspace = Workspace(Path("/proc/self"))  # its files have a size of 0 and content
    assert "read_file reads files up to 10" in await refusal(ReadFile(workspace), path="status")


async def test_a_folder_is_refused_with_the_tool_that_helps(tool: ReadFile, write: Write) -> None:
    write("a/b")
    assert await refusal(tool, path="a") == (
        "path 'a' is a folder; glob_search lists the files in it"
    )


def resumed(outcome: ToolOutcome) -> dict[str, int]:
    """The arguments that a hint names."""
    words = outcome.data["resume"].replace('"', "").replace("(", " ").replace(":", "").split()
    return {
        word: int(words[words.index(word) + 1]) for word in ("offset", "column") if word in words
    }


@given(
    text=st.text(st.sampled_from("ab\n"), max_size=80),
    limit=st.integers(1, 30),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_following_the_hints_reads_every_character(
    tool: ReadFile, write: Write, text: str, limit: int
) -> None:
    write("a", text)
    place, lines = {"offset": 1, "column": 1}, text.splitlines(keepends=True)
    for _ in range(len(text) + 1):
        outcome = cut(await tool.run({"path": "a", **place}), limit)
        start = sum(map(len, lines[: place["offset"] - 1])) + place["column"] - 1
        assert text[start:].startswith(outcome.data["content"])
        if "truncated" not in outcome.data:
            assert text[start:] == outcome.data["content"]
            return
        place = {"column": 1, **resumed(outcome)}
    pytest.fail(f"the hints do not lead to the end of {text!r}")
