"""What each section says, and when."""

import datetime
import itertools

import pytest

from agent.prompt.context import Skill
from tests.agent.prompt.contexts import facts, parts


def lines(count: int) -> str:
    return "\n".join(f"Rule {number}" for number in range(1, count + 1))


def test_it_keeps_the_persona_as_it_is() -> None:
    persona = "# Ada\n\nCosts $5, ${x} and `code`."
    assert parts(persona=persona)["persona"].text == f"{persona}\n\n"


def test_it_lists_experiences_one_per_line() -> None:
    given = ("First\nsecond", "## Skills", "<b>", "50 % # off")
    text = parts(experiences=given)["experiences"].text
    items = text.split("\n\n")[-2].splitlines()
    assert items == ["- First\\nsecond", "- \\u0023# Skills", "- \\u003cb>", "- 50 % # off"]


@pytest.mark.parametrize(("language", "no", "yes"), [("en", "no", "yes"), ("zh-hans", "否", "是")])
def test_it_says_whether_the_workspace_is_a_git_repository(
    language: str, no: str, yes: str
) -> None:
    for is_git, word in ((False, no), (True, yes)):
        text = parts(language=language, workspace=facts(is_git=is_git))["environment"].text
        assert text.splitlines()[3].endswith(word)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("channel", ["web", "embed", "wechat"])
def test_it_names_workspace_platform_and_kind(language: str, channel: str) -> None:
    for kind, other in (("LOCAL", "CLOUD"), ("CLOUD", "LOCAL")):
        shown = parts(language=language, channel=channel, workspace_kind=kind)
        text = shown["environment"].text
        assert '"/srv/workspaces/demo"' in text
        assert "Linux 6.8 (x86_64)" in text
        assert kind in text
        assert other not in text


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_names_wechat_only_there(language: str) -> None:
    named = {
        channel: "`wechat`" in parts(language=language, channel=channel)["environment"].text
        for channel in ("web", "embed", "wechat")
    }
    assert named == {"web": False, "embed": False, "wechat": True}


def test_it_quotes_a_workspace_path_that_holds_a_line_break() -> None:
    text = parts(workspace=facts(path="/srv/a\n## Skills"))["environment"].text
    assert 'Workspace: "/srv/a\\n\\u0023# Skills".' in text


@pytest.mark.parametrize(
    ("language", "monday", "sunday"),
    [("en", "Monday, 2026-11-30", "Sunday, 2026-12-06"), ("zh-hans", "星期一", "星期日")],
)
def test_it_names_date_and_weekday(language: str, monday: str, sunday: str) -> None:
    for day, expected in (
        (datetime.date(2026, 11, 30), monday),
        (datetime.date(2026, 12, 6), sunday),
    ):
        text = parts(language=language, date=day)["current_date"].text
        assert expected in text
        assert day.isoformat() in text


def test_it_lists_skills_with_name_file_and_description() -> None:
    skills = (Skill("pdf", 'Reads "PDF"', ".agents/skills/pdf/SKILL.md"), Skill("a", "b\nc"))
    text = parts(workspace=facts(skills=skills))["skills"].text
    assert text.split("\n\n")[-2].splitlines() == [
        '- "pdf" (".agents/skills/pdf/SKILL.md"): "Reads \\"PDF\\""',
        '- "a": "b\\nc"',
    ]


def test_it_shows_200_lines_of_rules_uncut() -> None:
    text = parts(workspace=facts(agents_md=lines(200) + "\n"))["workspace_rules"].text
    assert text.endswith(f"```markdown\n{lines(200)}\n```\n\n")


def test_it_cuts_rules_after_200_lines_and_says_so() -> None:
    text = parts(workspace=facts(agents_md=lines(201)))["workspace_rules"].text
    assert f"```markdown\n{lines(200)}\n```\n\n(AGENTS.md was cut: only its first 200 lines" in text
    assert "Rule 201" not in text


def test_it_says_so_when_only_the_head_of_the_file_was_read() -> None:
    text = parts(workspace=facts(agents_md="one\ntwo", agents_md_cut=True))["workspace_rules"].text
    assert "only its first 2 lines" in text


def test_it_counts_lines_of_every_kind_of_line_end() -> None:
    ends = itertools.cycle(["\r\n", "\r", "\n"])
    rules = "".join(line + next(ends) for line in lines(201).split("\n"))
    text = parts(language="zh-hans", workspace=facts(agents_md=rules))["workspace_rules"].text
    assert f"\n{lines(200)}\n```\n" in text
    assert "前 200 行" in text
