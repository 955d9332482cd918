"""The admin's words of ours, in Chinese: of apps, tables, fields, columns, filters, choices."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets, label_for_field
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import RequestFactory
from django.utils.translation import override

from memory_app.models import MemoryItem
from tests.sessions_app.admin_pages import OURS, list_page, row_page
from tests.sessions_app.rest import Rest, signed_in

CHINESE = re.compile("[\u4e00-\u9fff]")
BOTH = {"ID", "Anthropic"}  # words of both languages
APPS = ("compaction_app", "memory_app", "sessions_app")

Word = tuple[str, object]
Page = admin.ModelAdmin[Any]


@pytest.fixture
def request_of_staff(staff: User, rf: RequestFactory) -> Any:
    request = rf.get("/")
    request.user = staff
    return request


def of_fields(table: type[Model]) -> Iterator[Word]:
    """Helps and choices."""
    for field in table._meta.fields:
        yield f"help of {field.name}", field.help_text
        for value, label in field.flatchoices:
            yield f"choice {value} of {field.name}", label


def of_pages(page: Page, request: Any) -> Iterator[Word]:
    """Labels and groups of a list, a row's page and its form; filters and actions."""
    groups = page.get_fieldsets(request)
    for name in {*page.list_display, *flatten_fieldsets(groups)}:
        yield f"label of {name}", label_for_field(name, page.model, page)
    form = page.get_form(request).base_fields if page.has_change_permission(request) else {}
    for name, field in form.items():
        yield f"form label of {name}", field.label
        yield f"form help of {name}", field.help_text
    yield from ((f"group {title}", title) for title, _ in groups)
    filters = [one for one in page.list_filter if isinstance(one, type)]
    yield from ((f"filter {one.__name__}", one.title) for one in filters)
    for action in page.actions or []:
        yield f"action {action}", getattr(page, str(action)).short_description


def words(table: type[Model], request: Any) -> Iterator[Word]:
    """Each word of ours on the table's pages, with where it stands."""
    page = admin.site._registry[table]
    yield from of_fields(table)
    yield from of_pages(page, request)
    yield "help of the search", page.search_help_text
    yield "name", table._meta.verbose_name
    yield "names", table._meta.verbose_name_plural


@pytest.mark.parametrize("table", OURS, ids=lambda table: table.__name__)
def test_every_word_of_a_table_is_chinese(table: type[Model], request_of_staff: Any) -> None:
    with override("zh-hans"):
        given = [(place, str(word or "")) for place, word in words(table, request_of_staff)]
    assert len(given) > 10
    assert [
        (place, word)
        for place, word in given
        if word and word not in BOTH and not CHINESE.search(word)
    ] == []


def test_every_app_and_table_has_a_chinese_name() -> None:
    configs = [apps.get_app_config(label) for label in APPS]
    tables = [table for config in configs for table in config.get_models()]
    with override("zh-hans"):
        names = [str(config.verbose_name) for config in configs]
        names += [str(table._meta.verbose_name) for table in tables]
        names += [str(table._meta.verbose_name_plural) for table in tables]
    assert len(tables) == 15
    assert [name for name in names if not CHINESE.search(name)] == []


def test_the_english_words_stay_as_they_were() -> None:
    with override("en"):
        assert str(MemoryItem._meta.verbose_name_plural) == "memories"
        assert str(MemoryItem._meta.get_field("project_key").verbose_name) == "project key"


@pytest.fixture
def chinese_desk(staff: User) -> Rest:
    """The admin as a superuser sees it whose browser wants Chinese."""
    desk = signed_in(staff)
    desk.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-CN,zh;q=0.9"
    return desk


def text(page: str) -> str:
    """What a person reads of it."""
    body = page[page.index('<main id="content-start"') :]
    without = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", body, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", without)


ENGLISH_OF_OURS = re.compile(
    r"\b(session|sessions|memory|memories|compaction|request|requests|message|messages|"
    r"tokens|window|content|status|source|scope|project|trigger|outcome|tier|settings|state)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("table", OURS, ids=lambda table: table.__name__)
def test_its_pages_show_no_english_word_of_ours(
    chinese_desk: Rest,
    admin_rows: dict[type[Model], Model],
    table: type[Model],
) -> None:
    row = admin_rows[table]
    for path in ("/admin/", list_page(table), row_page(row)):
        shown = text(chinese_desk.get(path).content.decode())
        assert ENGLISH_OF_OURS.findall(shown) == [], path
