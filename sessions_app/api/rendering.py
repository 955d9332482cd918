"""Writes answers as JSON."""

from collections.abc import Mapping
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import orjson
from django.utils.functional import Promise
from rest_framework.renderers import BaseRenderer


class JSONRenderer(BaseRenderer):
    """JSON in UTF-8 by orjson. None is the literal `null`: "there is none" has a body too."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,  # noqa: ARG002 - the port's
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The bytes of `data`; nothing for an answer whose status has no body (204)."""
        response = (renderer_context or {}).get("response")
        if data is None and response is not None and response.status_code == HTTPStatus.NO_CONTENT:
            return b""
        return orjson.dumps(data, default=_plain)


def _plain(value: Any) -> str:
    """Translated texts and prices as text; anything else is a mistake of ours."""
    if isinstance(value, Promise | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} can't be rendered as JSON")
