"""Texts are rendered strictly and once."""

import re
from pathlib import Path
from string import Template

import pytest

import agent.prompt
from agent.prompt.labels import headings, labels
from agent.prompt.templates import LANGUAGES, render, text_folder

SHIPPED = Path(agent.prompt.__file__).parent / "texts"


def test_it_refuses_a_missing_variable() -> None:
    message = re.escape("text 'memory_user' (en) takes ['content', 'id'], but was given ['id']")
    with pytest.raises(ValueError, match=f"^{message}$"):
        render("en", "memory_user", id="1")


def test_it_refuses_a_variable_that_the_text_does_not_have() -> None:
    with pytest.raises(ValueError, match=r"takes \[\], but was given \['name'\]"):
        render("en", "embed", name="x")


def test_it_does_not_render_a_value_again() -> None:
    assert render("en", "memory_user", id="$content", content="$id $$ ${x}") == (
        "- [$content] $id $$ ${x}"
    )


def test_it_refuses_an_unknown_language_by_name() -> None:
    with pytest.raises(ValueError, match=r"^language 'fr' is not known; allowed: en, zh-hans$"):
        labels("fr")


def test_it_has_the_same_texts_with_the_same_variables_in_all_languages() -> None:
    shapes = [
        {
            path.name: sorted(set(Template(path.read_text("utf-8")).get_identifiers()))
            for path in files
        }
        for files in (sorted(text_folder(language).glob("*.md")) for language in LANGUAGES)
    ]
    assert shapes[0] == shapes[1]
    assert len(list(SHIPPED.rglob("*.md"))) == 2 * len(shapes[0])


def test_it_heads_every_section_with_a_known_heading() -> None:
    found = {
        line.removeprefix("## ")
        for path in SHIPPED.rglob("*.md")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("#")
    }
    assert found == set(headings()) - {labels(language)["persona"] for language in LANGUAGES}


def test_it_names_the_same_parts_in_all_languages() -> None:
    english, chinese = labels("en"), labels("zh-hans")
    assert english.keys() == chinese.keys()
    assert {"handoff", "messages", "context_notes", "tools"} < english.keys()


def test_it_hands_out_labels_that_may_be_changed() -> None:
    labels("en")["tools"] = "changed"
    assert labels("en")["tools"] == "Tool definitions"
