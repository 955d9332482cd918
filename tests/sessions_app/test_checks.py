"""System checks: each with its id, and silent where nothing is wrong."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.checks import CheckMessage
from pytest_django import Settings

from sessions_app import checks


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in checks.MODEL_VARIABLES:
        monkeypatch.delenv(name, raising=False)


def ids(found: list[CheckMessage]) -> list[Any]:
    return [message.id for message in found]


def test_a_server_without_a_model_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids(checks.check_model()) == ["sessions_app.I001"]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    assert checks.check_model() == []


@pytest.mark.parametrize(
    ("workers", "redis", "expected"),
    [
        ("1", "", []),
        ("", "", []),
        ("4", "redis://127.0.0.1", []),
        ("4", "", ["sessions_app.W001"]),
    ],
)
def test_several_processes_need_redis(
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    workers: str,
    redis: str,
    expected: list[str],
) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", workers)
    settings.REDIS_URL = redis
    assert ids(checks.check_channel_layer()) == expected


@pytest.mark.parametrize(
    ("below_var", "expected"), [(".", ["sessions_app.E001"]), ("workspaces/a", []), ("..", [])]
)
def test_the_servers_own_data_is_no_workspace(
    settings: Settings, below_var: str, expected: list[str]
) -> None:
    settings.WORKSPACE_ROOTS = [Path(django_settings.VAR, below_var).resolve()]
    assert ids(checks.check_workspace_roots()) == expected


@pytest.mark.parametrize(
    ("debug", "host", "allowed", "expected"),
    [
        (False, "0.0.0.0", ["example.org"], []),
        (True, "::1", ["localhost"], []),
        (True, "127.0.0.1", ["example.org"], ["sessions_app.E002"]),
        (True, "0.0.0.0", ["localhost"], ["sessions_app.E002"]),
    ],
)
def test_debug_is_for_this_machine_only(
    settings: Settings, debug: bool, host: str, allowed: list[str], expected: list[str]
) -> None:
    settings.DEBUG, settings.HOST, settings.ALLOWED_HOSTS = debug, host, allowed
    assert ids(checks.check_debug()) == expected
