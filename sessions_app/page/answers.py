"""What the views of the pages share: ids in addresses, and answers that nobody keeps."""

from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

Answer = TypeVar("Answer", bound=HttpResponse)


def row_id(request: HttpRequest, name: str) -> int | None:
    """A row's id from the query, None if there is none or it is no whole number."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def private(response: Answer) -> Answer:
    """A conversation stays out of caches, the browser's own included."""
    patch_cache_control(response, no_store=True, private=True)
    return response
