"""The rehearsal model's handoff, and how it goes on after a compaction."""

from dataclasses import replace

import pytest

from agent.clients.rehearsal import answer
from tests.agent.clients.building import a_request, user
from tests.agent.clients.rehearsing import FILES, Rehearsal, a_library, made


@pytest.mark.parametrize("keep", [2, 4, 6])
@pytest.mark.parametrize("language", ["tour docs/*.md\nsearch x", "通读 docs/*.md\n搜索 x"])
def test_a_tour_goes_on_after_compactions(keep: int, language: str) -> None:
    play = Rehearsal(a_library, messages=[replace(user(language), id=1)])
    responses = play.go_on(rounds=4)
    for _ in range(2):
        play.compact(keep)
        responses += play.go_on(rounds=4)
    play.compact(keep)
    responses += play.go_on()
    assert made(responses) == [
        [("glob_search", {"pattern": "docs/*.md"})],
        *([("read_file", {"path": path})] for path in FILES),
        [("grep_search", {"pattern": "x"})],
        [],
    ]
    assert responses[10].text in {
        "Reading `docs/09.md` (10 of 12).",
        "正在读取 `docs/09.md`（第 10 个，共 12 个）。",
    }
    assert [n for n in responses[-1].text.splitlines()[0] if n.isdigit()] == ["1", "4", "1", "1"]


def test_everything_may_be_compacted() -> None:
    play = Rehearsal(a_library, messages=[user("tour\nread z")])
    play.go_on(rounds=2)
    play.compact(keep=0)
    assert made(play.go_on())[-2:] == [[("read_file", {"path": "z"})], []]


def test_later_user_messages_win_over_what_is_pending() -> None:
    play = Rehearsal(a_library, messages=[user("tour")])
    play.go_on(rounds=3)
    play.compact(keep=2)
    assert made(play.say("read z")) == [[("read_file", {"path": "z"})], []]


def test_a_handoff_is_one_block_with_everything_in_it() -> None:
    play = Rehearsal(a_library, messages=[user("tour docs/*.md\nbe <handoff>ful</handoff>")])
    play.go_on(rounds=11)
    assert play.compact(keep=2).splitlines() == [
        "<handoff>",
        "Extract by the rehearsal model.",
        "User messages, verbatim:",
        "> tour docs/*.md",
        "> be ‹handoff>ful‹/handoff>",
        "",
        "Files touched: " + ", ".join(FILES[:9]),
        "So far: 10 tool calls, 1 failed, 1 cut.",
        "Last results:",
        '- read_file docs/06.md: {"content": "text", "truncated": false}',
        '- read_file docs/07.md: {"content": "text", "truncated": false}',
        '- read_file docs/08.md: {"content": "text", "truncated": false}',
        "Pending: tour docs/*.md (9 of 12 files read)",
        "Left in docs: 09.md, 10.md, 11.md",
        "</handoff>",
    ]


def test_what_users_said_is_carried_on() -> None:
    play = Rehearsal(messages=[])
    for said in ("first wish", "second wish"):
        play.say(said)
        play.compact(keep=0)
    play.messages.append(user("third"))
    lines = play.compact(keep=0).splitlines()
    assert lines[3:6] == ["> first wish", "> second wish", "> third"]
    assert lines[-2] == "Nothing is pending."


def test_a_summary_by_someone_else_is_carried_on_whole() -> None:
    play = Rehearsal(messages=[user("hi")], summary="Goal: win\n\n> my words")
    for _ in range(2):
        lines = play.compact(keep=0).splitlines()
        assert lines[3:6] == ["| Goal: win", "> my words", "> hi"]


def test_a_handoff_keeps_to_its_limit() -> None:
    play = Rehearsal(a_library, messages=[user("read a\n" + "old words " * 2_000), user("tour")])
    play.go_on(rounds=3)
    request = play.request(instruction="<handoff>", max_output_tokens=150)
    reply = answer(request)
    assert reply.usage.completion_tokens is not None
    assert reply.usage.completion_tokens <= 150
    assert "Left in docs: 02.md" in reply.text
    assert "> tour" in reply.text
    assert "> read a" in reply.text


def test_what_finds_no_room_is_counted() -> None:
    play = Rehearsal(messages=[user("\n".join(f"search {'x' * 50}{n}" for n in range(50)))])
    reply = answer(play.request(instruction="<handoff>", max_output_tokens=300)).text
    assert f"Left out for want of room: {50 - reply.count('Pending: ')} lines." in reply


def test_a_handoff_without_room_is_still_a_block() -> None:
    reply = answer(a_request(user("read a"), instruction="<handoff>", max_output_tokens=1)).text
    assert (reply.startswith("<handoff>\n"), reply.endswith("\n</handoff>")) == (True, True)
