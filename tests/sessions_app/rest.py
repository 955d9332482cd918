"""A test client that speaks JSON."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

JSON = "application/json"


class Rest(Client):
    """Django's test client; `send` is a request with a JSON body, `raw` one with any text."""

    def send(self, method: str, path: str, body: Any, **extra: Any) -> Any:
        return self.generic(method, path, json.dumps(body), content_type=JSON, **extra)

    def raw(self, method: str, path: str, body: str | bytes, content_type: str = JSON) -> Any:
        return self.generic(method, path, body, content_type=content_type)


def signed_in(user: User, **options: Any) -> Rest:
    """A client of this user."""
    client = Rest(**options)
    client.force_login(user)
    return client
