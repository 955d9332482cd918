"""Which pages may open a socket with the user's cookie: the one thing a browser can't forge."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.utils.http import is_same_domain

DEFAULT_PORTS = {"http": 80, "https": 443}
HTTP_SCHEMES = {"ws": "http", "wss": "https"}

Site = tuple[str, str, int]  # scheme, host, port


class Handshake(HttpRequest):
    """The handshake as the plain request that it is, so that Django's own rules for hosts and
    proxies hold for it too.
    """

    def __init__(self, scheme: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
        super().__init__()
        self._own_scheme = HTTP_SCHEMES.get(scheme, scheme)
        for name, value in headers:
            if b"_" in name:  # would pass for the header with a hyphen
                continue
            key = f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}"
            text = value.decode("latin-1")
            if key in self.META:  # two origins or hosts, joined, fit no site
                text = f"{self.META[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}"
            self.META[key] = text

    def _get_scheme(self) -> str:
        return self._own_scheme

    @property
    def address(self) -> str:
        """`scheme://host` of the page's own server, empty when the host is missing or not ours."""
        if "HTTP_HOST" not in self.META:
            return ""
        try:
            return f"{self.scheme}://{self.get_host()}"
        except DisallowedHost:
            return ""


def parse(origin: str) -> Site | None:
    """The origin's parts, ports filled in; None for "null" and whatever else is not an origin."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return None
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, DEFAULT_PORTS[parts.scheme] if port is None else port


def is_allowed(origin: str, *, site: str) -> bool:
    """Whether the page is of this very site, or listed in CSRF_TRUSTED_ORIGINS."""
    page = parse(origin)
    if page is None:
        return False
    if page == parse(site):
        return True
    return any(_is_listed(page, listed) for listed in settings.CSRF_TRUSTED_ORIGINS)


def _is_listed(page: Site, listed: str) -> bool:
    """An entry is an origin; its host may begin with `*.`, as in Django."""
    scheme, star, host = listed.partition("://*")
    entry = parse(f"{scheme}://x{host}" if star else listed)
    if entry is None or (page[0], page[2]) != (entry[0], entry[2]):
        return False
    return is_same_domain(page[1], entry[1][1:] if star else entry[1])
