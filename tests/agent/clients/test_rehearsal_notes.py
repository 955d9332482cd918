"""What is pending survives being written down as plain text."""

from posixpath import join

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.clients.rehearsal_commands import Command
from agent.clients.rehearsal_notes import Counts, Notes, Touring, pending_lines, read_notes
from agent.clients.rehearsal_words import CHINESE, ENGLISH, Words

NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1)
NAMES = NAME.filter(lambda name: name not in {".", ".."})
PATHS = st.lists(st.builds(join, st.sampled_from(["", "a", "a/b: c", '"d"']), NAMES), min_size=1)
LANGUAGES = pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["en", "zh"])


@LANGUAGES
@given(paths=PATHS, read=st.integers(0, 99))
def test_a_tour_is_read_back(words: Words, paths: list[str], read: int) -> None:
    tour = Touring("**/*.py", tuple(paths), read, read + len(paths))
    assert read_notes("\n".join(pending_lines(tour, words))) == Notes((tour,))


@LANGUAGES
def test_tasks_and_counts_are_read_back_in_order(words: Words) -> None:
    tasks = (Touring("*", ("a", "b/c"), 3, 5), Command("write", "x.md: y"), Command("tour", "**/*"))
    so_far = words["so_far"].format(calls=12, failed=1, cut=2)
    lines = [so_far, *(line for task in tasks for line in pending_lines(task, words))]
    assert read_notes("\n".join(lines)) == Notes(tasks, Counts(12, 1, 2))


def test_people_can_read_it() -> None:
    tour = Touring("agent/*.py", ("agent/text.py", "agent/a, b.py", "README.md"), 11, 14)
    assert pending_lines(tour, ENGLISH) == [
        "Pending: tour agent/*.py (11 of 14 files read)",
        'Left in agent: text.py, "a, b.py"',
        "Left in .: README.md",
    ]


def test_a_long_folder_takes_several_lines() -> None:
    tour = Touring("*", tuple(f"f{n}" for n in range(45)), 0, 45)
    assert [line.count(", ") for line in pending_lines(tour, ENGLISH)] == [0, 19, 19, 4]


def test_broken_quotes_are_taken_as_they_are() -> None:
    [tour] = read_notes('Pending: tour * (0 of 1 files read)\nLeft in a: "b\\q"').tasks
    assert isinstance(tour, Touring)
    assert tour.left == ('a/"b\\q"',)


@pytest.mark.parametrize(
    "text",
    ["", "> Pending: read a", "| Pending: read a", "Pending: what ever", "Left in a: b",
     "Pending: tour * (1 of 2 files read)"],
)  # fmt: skip
def test_other_lines_are_passed_over(text: str) -> None:
    assert read_notes(text) == Notes()
