"""`/settings/memory`: each action is a form that leads back to its memory."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory_app import services
from memory_app.models import MemoryItem
from memory_app.section import Injection
from tests.sessions_app.rest import Rest

pytestmark = pytest.mark.django_db

Remember = Callable[..., MemoryItem]
PAGE = "/settings/memory"


def shown(api: Rest, **query: str) -> str:
    answer = api.get(PAGE, query)
    assert answer.status_code == 200
    return answer.content.decode()


def ids(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'id="memory-(\d+)"', page)]


def leads_to(answer: Any) -> str:
    assert answer.status_code == 302, answer.content.decode()
    address: str = answer["Location"]
    return address


def test_it_adds_a_memory_for_all_sessions(api: Rest) -> None:
    answer = api.post(PAGE, {"add": "1", "content": "Likes tea", "project_key": ""})
    item = MemoryItem.objects.get()
    assert leads_to(answer) == f"{PAGE}#memory-{item.pk}"
    assert (item.content, item.scope, item.source) == ("Likes tea", "USER", "MANUAL")


def test_it_adds_a_memory_of_a_project(api: Rest) -> None:
    api.post(PAGE, {"add": "1", "content": "one\r\ntwo", "project_key": " vitrine "})
    item = MemoryItem.objects.get()
    assert (item.content, item.scope, item.project_key) == ("one\ntwo", "PROJECT", "vitrine")


def test_it_says_that_one_was_there(api: Rest, remember: Remember) -> None:
    item = remember("Likes tea")
    answer = api.post(PAGE, {"add": "1", "content": "Likes tea"}, follow=True)
    assert "It was there already" in answer.content.decode()
    assert ids(answer.content.decode()) == [item.pk]


@pytest.mark.parametrize(
    ("content", "words"), [("x" * 501, "allowed: at most 500"), (" ", "Blank is not allowed")]
)
def test_it_shows_why_it_would_not_add(api: Rest, content: str, words: str) -> None:
    answer = api.post(PAGE, {"add": "1", "content": content, "project_key": "p"})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert words in page
    assert f"{content}</textarea>" in page
    assert 'value="p"' in page


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        ("dismiss", "ACTIVE", "DISMISSED"),
        ("dismiss", "PROPOSED", "DISMISSED"),
        ("restore", "DISMISSED", "ACTIVE"),
        ("accept", "PROPOSED", "ACTIVE"),
    ],
)
def test_it_changes_the_status(
    api: Rest, remember: Remember, action: str, before: str, after: str
) -> None:
    item = remember("Likes tea")
    MemoryItem.objects.filter(pk=item.pk).update(status=before)
    answer = api.post(PAGE, {action: item.pk, "back": "search=tea"})
    assert leads_to(answer) == f"{PAGE}?search=tea#memory-{item.pk}"
    item.refresh_from_db()
    assert item.status == after


def test_it_shows_that_there_is_no_room(api: Rest, owner: User, propose: Remember) -> None:
    item = propose("Likes tea")
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"{n}", dedup_hash=f"{n}") for n in range(200)
    )
    answer = api.post(PAGE, {"accept": item.pk})
    assert answer.status_code == 400
    assert "200 memories are active, which is the limit" in answer.content.decode()


def test_it_edits_in_place(api: Rest, remember: Remember) -> None:
    item = remember("Likes tea")
    assert "Likes tea</textarea>" in shown(api, edit=str(item.pk))
    fields = {"save": item.pk, "content": "Likes coffee", "project_key": "p"}
    assert leads_to(api.post(PAGE, fields)) == f"{PAGE}#memory-{item.pk}"
    item.refresh_from_db()
    assert (item.content, item.scope, item.project_key) == ("Likes coffee", "PROJECT", "p")


def test_it_keeps_what_was_typed_when_an_edit_is_refused(api: Rest, remember: Remember) -> None:
    remember("taken")
    item = remember("Likes tea")
    answer = api.post(PAGE, {"save": item.pk, "content": "taken", "project_key": ""})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "says the same already" in page
    assert f'id="content-{item.pk}"' in page
    assert "taken</textarea>" in page


def test_it_deletes_after_a_confirmation(api: Rest, remember: Remember) -> None:
    item = remember("Likes tea")
    button = f'name="delete" value="{item.pk}"'
    assert button not in " ".join(shown(api).split())
    assert button in " ".join(shown(api, delete=str(item.pk)).split())
    assert leads_to(api.post(PAGE, {"delete": item.pk})) == f"{PAGE}#main"
    assert not MemoryItem.objects.exists()


@pytest.mark.parametrize("action", ["dismiss", "save", "delete", "accept", "restore"])
def test_it_touches_nobody_elses(
    api: Rest, stranger: User, remember: Remember, action: str
) -> None:
    item = remember("a secret", of=stranger)
    before = MemoryItem.objects.values().get()
    answer = api.post(PAGE, {action: item.pk, "content": "x"})
    assert answer.status_code == 403
    assert MemoryItem.objects.values().get() == before
    assert "secret" not in answer.content.decode()


def test_it_shows_nobody_elses(api: Rest, stranger: User, remember: Remember) -> None:
    item = remember("a secret", of=stranger, project="their project")
    assert ids(shown(api)) == []
    assert "their project" not in shown(api)
    answer = api.get(PAGE, {"item": item.pk})
    assert answer.status_code == 404
    assert "secret" not in answer.content.decode()


@pytest.mark.parametrize("body", [{}, {"dismiss": "x"}, {"explode": "1"}])
def test_it_does_nothing_without_an_action(api: Rest, body: dict[str, str]) -> None:
    answer = api.post(PAGE, body)
    assert answer.status_code == 400
    assert "no action was chosen" in answer.content.decode()


def test_it_needs_the_csrf_token(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(PAGE, {"add": "1", "content": "x"}).status_code == 403


def test_it_groups_by_status(api: Rest, remember: Remember, propose: Remember) -> None:
    dismissed, active = remember("a"), remember("b")
    api.post(PAGE, {"dismiss": dismissed.pk})
    proposed = propose("c")
    page = shown(api)
    assert ids(page) == [proposed.pk, active.pk, dismissed.pk]
    assert re.findall(r'id="group-(\w+)"', page) == ["PROPOSED", "ACTIVE", "DISMISSED"]


def test_it_counts_by_scope_and_against_the_limit(api: Rest, remember: Remember) -> None:
    remember("a")
    remember("b", project="p")
    page = " ".join(re.sub("<[^>]+>", "", shown(api)).split())
    assert "2 of 200 active" in page
    assert "1 for all sessions · 1 of projects · 0 proposed · 0 dismissed" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"search": "te"}, ["tea"]),
        ({"scope": "PROJECT"}, ["tabs"]),
        ({"project": "p"}, ["tabs"]),
        ({"status": "DISMISSED"}, ["coffee"]),
        ({"status": "nonsense", "after": "nonsense", "edit": "x"}, ["tabs", "tea", "coffee"]),
    ],
)
def test_it_narrows_the_list(
    api: Rest, remember: Remember, query: dict[str, str], expected: list[str]
) -> None:
    made = {text: remember(text) for text in ("coffee", "tea")}
    made["tabs"] = remember("tabs", project="p")
    api.post(PAGE, {"dismiss": made["coffee"].pk})
    assert ids(shown(api, **query)) == [made[text].pk for text in expected]


def test_it_pages_through_what_was_dismissed(api: Rest, owner: User) -> None:
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"{n}", dedup_hash=f"{n}", status="DISMISSED")
        for n in range(70)
    )
    first = shown(api)
    [older] = re.findall(r'href="\?([^"]*after=[^"]*)"', first)
    second = api.get(f"{PAGE}?{older.replace('&amp;', '&')}").content.decode()
    assert len(ids(first)) == 50
    assert sorted(ids(first) + ids(second)) == sorted(
        MemoryItem.objects.values_list("pk", flat=True)
    )


def test_one_memory_shows_where_it_went(api: Rest, remember: Remember) -> None:
    item = remember("Likes tea")
    for session, request in ((41, 1), (41, 2), (42, 3)):
        injections = [Injection(item.pk, "h", 7)]
        services.memory_use_record(session_id=session, request_id=request, injections=injections)
    assert "in 3 requests" in shown(api)
    page = shown(api, item=str(item.pk))
    assert re.findall(r'<a href="/sessions/(\d+)">', page) == ["42", "41"]
    cells = re.findall(r"<td>(\d+)</td>", page)
    assert cells == ["1", "7", "2", "14"]


def test_it_says_who_wrote_it_and_where(api: Rest, remember: Remember, propose: Remember) -> None:
    remember("a")
    assert "written by you" in shown(api)
    item = propose("b")
    page = " ".join(re.sub("<[^>]+>", "", shown(api, item=str(item.pk))).split())
    assert "written by the agent in session 7, message 31" in page


def test_it_marks_what_the_next_run_gets(api: Rest, remember: Remember) -> None:
    for number in range(9):
        remember(f"fact {number}")
    page = shown(api)
    assert page.count("goes with the next run") == 8
    assert page.count("not among the newest") == 1


@pytest.mark.parametrize(
    "content",
    [
        "<script>window.__x=1</script>",
        "</textarea><script>window.__x=1</script>",
        '"><b onmouseover=window.__x=1>',
        "bidi \u202egnp.exe",
    ],
)
def test_text_stays_text(api: Rest, remember: Remember, content: str) -> None:
    item = remember(content)
    for page in (shown(api), shown(api, edit=str(item.pk)), shown(api, search=content)):
        assert "<script>window" not in page
        assert "<b onmouseover" not in page
    assert "\u202e" not in shown(api)


def test_it_speaks_chinese(api: Rest, remember: Remember) -> None:
    remember("喜欢喝茶")
    page = api.get(PAGE, headers={"accept-language": "zh-CN"}).content.decode()
    for words in ("要记住的内容", "下次任务会注入", "停用", "喜欢喝茶"):
        assert words in page


def test_it_has_nothing_inline(api: Rest, remember: Remember) -> None:
    item = remember("Likes tea")
    page = shown(api, edit=str(item.pk))
    assert re.findall(r"<script([^>]*)>\s*[^<\s]", page) == []
    assert " style=" not in page
    assert "<style" not in page
    assert re.findall(r"\son\w+=", page) == []


def test_its_answers_stay_out_of_caches(api: Rest) -> None:
    assert api.get(PAGE)["Cache-Control"] == "no-store, private"
