from typing import Any

import pytest
from channels.layers import channel_layers
from django.db import OperationalError, connection
from pytest_django import Settings

from tests.sessions_app.rest import Rest

pytestmark = pytest.mark.django_db


def _away(*_: Any) -> Any:
    raise OperationalError("password is 'hunter2'")


def test_it_is_ok_for_everyone() -> None:
    answer = Rest().get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "database": "ok", "channelLayer": "ok"}


def test_it_says_that_the_database_failed_and_no_more() -> None:
    with connection.execute_wrapper(_away):
        answer = Rest().get("/healthz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "failed", "database": "failed", "channelLayer": "ok"}


def test_it_says_that_the_channel_layer_failed(
    settings: Settings, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel_layers, "backends", {})
    settings.REDIS_URL = f"redis://127.0.0.1:{unused_tcp_port}"
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [settings.REDIS_URL]},
        }
    }
    answer = Rest().get("/healthz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "failed", "database": "ok", "channelLayer": "failed"}


def test_it_needs_no_throttle_and_no_session(api: Rest) -> None:
    assert all(api.get("/healthz").status_code == 200 for _ in range(250))
