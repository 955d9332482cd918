"""`/v1/memory`: shapes, filters, errors."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory_app.models import MemoryItem
from tests.sessions_app.rest import Rest

pytestmark = [pytest.mark.storage, pytest.mark.django_db]

Remember = Callable[..., MemoryItem]
LIST = "/v1/memory"


def contents(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [row["content"] for row in answer.json()["results"]]


def test_it_creates_a_memory(api: Rest) -> None:
    answer = api.send("POST", LIST, {"content": " Likes tea "})
    item = MemoryItem.objects.get()
    assert answer.status_code == 201
    shown = dict(answer.json())
    times = [shown.pop(name) for name in ("createdAt", "updatedAt")]
    assert shown == {
        "id": item.pk,
        "scope": "USER",
        "projectKey": "",
        "content": "Likes tea",
        "source": "MANUAL",
        "status": "ACTIVE",
        "originSessionId": None,
        "originMessageId": None,
    }
    assert all(time.endswith("Z") for time in times)
    assert api.get(f"{LIST}/{item.pk}").json() == answer.json()


def test_it_creates_a_projects_memory(api: Rest) -> None:
    body = {"scope": "PROJECT", "projectKey": "vitrine", "content": "uses tabs"}
    shown = api.send("POST", LIST, body).json()
    assert {name: shown[name] for name in body} == body


def test_a_duplicate_is_answered_with_the_one_that_is_there(api: Rest) -> None:
    first = api.send("POST", LIST, {"content": "Likes tea"})
    again = api.send("POST", LIST, {"content": "Likes  tea"})
    assert (again.status_code, again.json()) == (200, first.json())


def test_a_duplicate_of_a_dismissed_one_restores_it(api: Rest) -> None:
    first = api.send("POST", LIST, {"content": "Likes tea"}).json()
    api.send("PATCH", f"{LIST}/{first['id']}", {"status": "DISMISSED"})
    again = api.send("POST", LIST, {"content": "Likes tea"})
    assert (again.status_code, again.json()["status"]) == (200, "ACTIVE")
    assert (again.json()["id"], again.json()["source"]) == (first["id"], "MANUAL")


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({}, "content", "required"),
        ({"content": "x" * 501}, "content", "501 characters are too many; allowed: at most 500"),
        ({"content": 5}, "content", "5 is not a text; allowed: a JSON string"),
        ({"content": "  "}, "content", "blank"),
        ({"content": "x", "scope": "TEAM"}, "scope", "'TEAM' is not valid; allowed: USER, PROJECT"),
        ({"content": "x", "scope": "PROJECT"}, "projectKey", "needs a project key"),
        ({"content": "x", "projectKey": "p"}, "projectKey", "Only a memory with the scope PROJECT"),
        ({"content": "x", "source": "AUTO"}, "source", "Unknown field; allowed: scope, projectKey"),
        ({"content": "x", "owner": 1}, "owner", "Unknown field"),
    ],
)
def test_it_refuses_by_field(api: Rest, body: dict[str, Any], field: str, words: str) -> None:
    answer = api.send("POST", LIST, body)
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert words in answer.json()[field][0]
    assert not MemoryItem.objects.exists()


def test_it_names_the_limit_of_200(api: Rest, owner: User) -> None:
    MemoryItem.objects.bulk_create(
        MemoryItem(owner=owner, content=f"{n}", dedup_hash=f"{n}") for n in range(200)
    )
    answer = api.send("POST", LIST, {"content": "one more"})
    assert answer.status_code == 400
    assert "200 memories are active, which is the limit" in answer.json()["content"][0]


def test_it_changes_the_given_fields(api: Rest, remember: Remember) -> None:
    item = remember("Likes tea")
    before = api.get(f"{LIST}/{item.pk}").json()
    after = api.send("PATCH", f"{LIST}/{item.pk}", {"content": "Likes coffee"}).json()
    assert after.pop("updatedAt") > before.pop("updatedAt")
    assert after == {**before, "content": "Likes coffee"}


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"content": "taken"}, "content", "says the same already"),
        ({"status": "PROPOSED"}, "status", "'PROPOSED' is not valid; allowed: ACTIVE, DISMISSED"),
        ({"scope": "PROJECT"}, "projectKey", "needs a project key"),
        ({"createdAt": "now"}, "createdAt", "Unknown field; allowed: scope"),
    ],
)
def test_it_refuses_a_change_by_field(
    api: Rest, remember: Remember, body: dict[str, Any], field: str, words: str
) -> None:
    remember("taken")
    item = remember("Likes tea")
    before = MemoryItem.objects.values().get(pk=item.pk)
    answer = api.send("PATCH", f"{LIST}/{item.pk}", body)
    assert answer.status_code == 400
    assert words in answer.json()[field][0]
    assert MemoryItem.objects.values().get(pk=item.pk) == before


def test_it_deletes(api: Rest, remember: Remember) -> None:
    path = f"{LIST}/{remember('Likes tea').pk}"
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    assert api.send("PATCH", path, {"status": "ACTIVE"}).status_code == 404


@pytest.mark.parametrize("memory_id", ["0", "999999", "9" * 30])
def test_it_has_none_such(api: Rest, memory_id: str) -> None:
    answer = api.get(f"{LIST}/{memory_id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_someone_elses_is_forbidden(api: Rest, stranger: User, remember: Remember) -> None:
    path = f"{LIST}/{remember('a secret', of=stranger).pk}"
    for answer in (api.get(path), api.send("PATCH", path, {"content": "x"}), api.delete(path)):
        assert answer.status_code == 403
        assert b"secret" not in answer.content
    assert contents(api.get(LIST)) == []


def test_it_lists_all_newest_first(api: Rest, remember: Remember, propose: Remember) -> None:
    old, new = remember("old"), remember("new")
    propose("proposed")
    api.send("PATCH", f"{LIST}/{old.pk}", {"status": "DISMISSED"})
    assert contents(api.get(LIST)) == ["old", "proposed", "new"]
    assert contents(api.get(LIST, {"status": "ACTIVE"})) == ["new"]
    assert contents(api.get(LIST, {"ids": f"{new.pk},{old.pk},999"})) == ["old", "new"]


def test_it_filters(api: Rest, remember: Remember) -> None:
    for text, key in (("tea", ""), ("tabs", "p"), ("spaces", "q")):
        remember(text, project=key)
    assert contents(api.get(LIST, {"scope": "PROJECT"})) == ["spaces", "tabs"]
    assert contents(api.get(LIST, {"projectKey": "p"})) == ["tabs"]
    assert contents(api.get(LIST, {"projectKey": ""})) == ["tea"]
    assert contents(api.get(LIST, {"search": "a", "scope": "USER"})) == ["tea"]
    assert contents(api.get(LIST, {"ids": ""})) == []


def test_its_pages_follow_each_other(api: Rest, remember: Remember) -> None:
    for number in range(5):
        remember(f"{number}")
    seen, cursor = [], None
    while True:
        query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        answer = api.get(LIST, query)
        seen += contents(answer)
        cursor = answer.json()["next"]
        if cursor is None:
            break
    assert seen == ["4", "3", "2", "1", "0"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("scope", "TEAM", "allowed: USER, PROJECT"),
        ("status", "GONE", "allowed: ACTIVE, DISMISSED, PROPOSED"),
        ("status", "", "allowed: ACTIVE, DISMISSED, PROPOSED"),
        ("ids", "1,x", "allowed: up to 200 ids"),
        ("ids", ",".join(["1"] * 201), "allowed: up to 200 ids"),
        ("limit", "0", "from 1 to 200"),
        ("limit", "201", "from 1 to 200"),
        ("limit", "many", "from 1 to 200"),
        ("cursor", "nonsense", "is not a cursor of this list"),
        ("search", "x" * 201, "200"),
    ],
)
def test_it_refuses_a_query_by_field(api: Rest, name: str, value: str, words: str) -> None:
    answer = api.get(LIST, {name: value})
    assert (answer.status_code, list(answer.json())) == (400, [name])
    assert words in answer.json()[name][0]


def test_its_answers_stay_out_of_caches(api: Rest) -> None:
    assert api.get(LIST)["Cache-Control"] == "no-store, private"


def test_a_browsers_write_needs_the_csrf_token(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    answer = client.post(LIST, {"content": "x"}, content_type="application/json")
    assert answer.status_code == 403


def test_the_schema_documents_what_is_sent_and_taken(api: Rest) -> None:
    schema = api.get("/v1/schema").json()
    operations = {path: set(entry) for path, entry in schema["paths"].items() if "memory" in path}
    assert operations == {
        "/v1/memory": {"get", "post"},
        "/v1/memory/{memory_id}": {"get", "patch", "delete"},
    }
    shapes = schema["components"]["schemas"]
    shown = api.send("POST", LIST, {"content": "Likes tea"}).json()
    assert list(shapes["Memory"]["properties"]) == list(shown)
    content = shapes["MemoryInput"]["properties"]["content"]
    assert content == {"type": "string", "minLength": 1, "maxLength": 500}
    assert shapes["MemoryInput"]["additionalProperties"] is False
