"""What is read from a workspace for the prompt, and what is left out."""

import platform
from pathlib import Path

import pytest

from agent.prompt.context import Skill, WorkspaceFacts
from agent.prompt.workspace import read_workspace
from agent.tools.paths import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    return root


def read(folder: Path) -> WorkspaceFacts:
    return read_workspace(Workspace(folder))


def write_skill(folder: Path, name: str, text: str = "") -> Path:
    path = folder / ".agents/skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text or f"---\nname: {name}\ndescription: About {name}.\n---\nSteps.\n")
    return path


def test_it_reads_an_empty_workspace_quietly(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    system = f"{platform.system()} {platform.release()} ({platform.machine()})"
    assert read(folder) == WorkspaceFacts(path=str(folder.resolve()), platform=system)
    assert caplog.messages == []


def test_it_reads_rules_and_skills(folder: Path) -> None:
    (folder / "AGENTS.md").write_bytes(b"\xef\xbb\xbfBe kind.\r\n\xff")
    write_skill(folder, "b")
    write_skill(folder, "a", "---\nname: A\ndescription: >-\n  Two\n  lines\n---\n")
    found = read(folder)
    assert (found.agents_md, found.agents_md_cut) == ("Be kind.\r\n\ufffd", False)
    assert found.skills == (
        Skill("A", "Two lines", ".agents/skills/a/SKILL.md"),
        Skill("b", "About b.", ".agents/skills/b/SKILL.md"),
    )


@pytest.mark.parametrize(("size", "cut"), [(256 * 1024, False), (256 * 1024 + 1, True)])
def test_it_reads_at_most_256_kib_of_rules(folder: Path, size: int, cut: bool) -> None:
    (folder / "AGENTS.md").write_bytes(b"x" * size)
    found = read(folder)
    assert (len(found.agents_md), found.agents_md_cut) == (256 * 1024, cut)


def test_it_knows_a_git_repository_by_folder_or_file(folder: Path) -> None:
    (folder / ".git").mkdir()
    assert read(folder).is_git
    (folder / ".git").rmdir()
    (folder / ".git").write_text("gitdir: elsewhere")
    assert read(folder).is_git


def test_it_does_not_take_a_link_for_a_git_repository(folder: Path, tmp_path: Path) -> None:
    (folder / ".git").symlink_to(tmp_path)
    assert not read(folder).is_git


def test_it_follows_no_link_that_leaves(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "secret").write_text("---\nname: secret\ndescription: secret\n---\n")
    (folder / "AGENTS.md").symlink_to(tmp_path / "secret")
    write_skill(folder, "a").unlink()
    (folder / ".agents/skills/a/SKILL.md").symlink_to(tmp_path / "secret")
    found = read(folder)
    assert (found.agents_md, found.skills) == ("", ())
    assert len(caplog.messages) == 2
    assert all("leaves the workspace" in message for message in caplog.messages)


def test_it_does_not_list_a_skills_folder_outside(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_skill(tmp_path, "a")
    (folder / ".agents").symlink_to(tmp_path / ".agents")
    assert read(folder).skills == ()
    assert "leaves the workspace" in caplog.messages[0]


def test_it_leaves_out_rules_that_are_no_text(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "AGENTS.md").write_bytes(b"\x00\x01")
    assert read(folder).agents_md == ""
    assert caplog.messages == ["'AGENTS.md' was left out of the prompt: it is not a text"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# No front matter", "no front matter between two lines '---' at the beginning"),
        ("---\nname: x\n", "no front matter between two lines '---' at the beginning"),
        ("---\n- a\n---\n", "front matter is no mapping of names to values"),
        ("---\nname: x\n---\n", "front matter has no text for 'description'"),
        ("---\nname: ' '\ndescription: x\n---\n", "front matter has no text for 'name'"),
        ("---\nname: [x]\ndescription: x\n---\n", "front matter has no text for 'name'"),
        (f"---\nname: {'x' * 65}\ndescription: x\n---\n", "name has 65 characters; allowed are 64"),
        ("---\na: b: c\n---\n", "front matter is no valid YAML: mapping values are not allowed"),
        (f"---\na: {'[' * 9000}\n---\n", "front matter is no valid YAML: while increasing"),
        (f"---\n{'[' * 900}{']' * 900}\n---\n", "front matter is no valid YAML: maximum recursion"),
    ],
)
def test_it_skips_a_broken_skill_and_says_why(
    folder: Path, caplog: pytest.LogCaptureFixture, text: str, reason: str
) -> None:
    write_skill(folder, "broken", text)
    write_skill(folder, "good")
    assert [skill.name for skill in read(folder).skills] == ["good"]
    start = "'.agents/skills/broken/SKILL.md' was left out of the prompt: "
    assert [message.startswith(start + reason) for message in caplog.messages] == [True]


def test_it_cuts_a_long_description(folder: Path) -> None:
    for size in (1_024, 1_025):
        write_skill(folder, str(size), f"---\nname: x\ndescription: {'d' * size}\n---\n")
    exact, cut = read(folder).skills
    assert (exact.description, cut.description) == ("d" * 1_024, "d" * 1_023 + "…")


def test_it_takes_at_most_50_skills(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(50):
        write_skill(folder, f"{number:02}")
    assert len(read(folder).skills) == 50
    assert caplog.messages == []
    write_skill(folder, "50")
    assert read(folder).skills[-1].name == "49"
    assert caplog.messages == ["skills from '50' on were left out of the prompt: too many"]


def test_it_looks_at_500_entries_only(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    skills = folder / ".agents/skills"
    skills.mkdir(parents=True)
    for number in range(500):
        (skills / f"{number:03}").touch()
    write_skill(folder, "zebra")
    assert read(folder).skills == ()
    assert caplog.messages == ["skills from 'zebra' on were left out of the prompt: too many"]


def test_it_reads_nothing_from_a_folder_that_is_gone(folder: Path) -> None:
    workspace = Workspace(folder)
    folder.rmdir()
    found = read_workspace(workspace)
    assert (found.is_git, found.agents_md, found.skills) == (False, "", ())
