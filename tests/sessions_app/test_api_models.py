from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from sessions_app.models import ModelProfile, Session
from tests.sessions_app.rest import Rest


def _models(api: Rest) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in api.get("/v1/models").json()["results"]}


def _default(api: Rest) -> list[str]:
    return [name for name, row in _models(api).items() if row["default"]]


def test_it_shows_a_model_as_it_would_be_used(api: Rest) -> None:
    ModelProfile.objects.create(
        name="local",
        provider="openai",
        model_id="qwen3-4b",
        base_url="http://user:secret@127.0.0.1:9000/v1?key=secret",
        key_variable="LOCAL_KEY",
        window_tokens=40_000,
        max_output_tokens=2_048,
        input_price="0.25",
    )
    assert _models(api)["local"] == {
        "name": "local",
        "provider": "openai",
        "modelId": "qwen3-4b",
        "baseUrl": "http://127.0.0.1:9000/v1",
        "windowTokens": 40_000,
        "maxOutputTokens": 2_048,
        "tokenizer": "o200k_base",
        "calibration": 1.0,
        "notesRole": "user",
        "vision": False,
        "prices": {"input": 0.25, "cached": None, "output": None},
        "enabled": True,
        "offered": True,
        "default": False,
    }


def test_it_offers_the_rehearsal_model_alone_without_a_key(api: Rest) -> None:
    offered = {name: row["offered"] for name, row in _models(api).items()}
    assert offered == {"anthropic": False, "openai": False, "rehearsal": True}
    assert _default(api) == ["rehearsal"]


def test_it_prefers_the_environments_model(api: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert _default(api) == ["openai"]
    assert b"sk-very-secret" not in api.get("/v1/models").content
    assert api.send("POST", "/v1/sessions", {}).json()["model"] == "openai"


def test_it_knows_a_compatible_server_by_its_url(api: Rest, settings: Settings) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9000/v1"
    assert _models(api)["openai"]["baseUrl"] == "http://127.0.0.1:9000/v1"
    assert _default(api) == ["openai"]


def test_it_prefers_the_row_that_is_flagged(api: Rest, settings: Settings) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9000/v1"
    ModelProfile.objects.create(name="own", provider="rehearsal", default=True)
    assert _default(api) == ["own"]


def test_it_passes_over_a_flagged_row_that_cannot_be_used(api: Rest) -> None:
    ModelProfile.objects.filter(name="openai").update(default=True)
    ModelProfile.objects.create(name="off", provider="rehearsal", default=True, enabled=False)
    assert _default(api) == ["rehearsal"]


def test_it_has_no_default_when_nothing_is_enabled(api: Rest) -> None:
    ModelProfile.objects.update(enabled=False)
    assert _default(api) == []


def test_it_reads_with_the_same_queries_however_many_there_are(
    api: Rest,
    make_session: Callable[..., Session],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(20):
        ModelProfile.objects.create(name=f"m{number}", provider="rehearsal")
    with django_assert_num_queries(4):  # cookie, user, offered, all
        api.get("/v1/models")
