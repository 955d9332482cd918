"""`/signin/<token>`: lets the holder of a one-time link in, from this machine only.

A plain GET signs in, because the link is opened from a terminal. What could use it up unasked is
refused and leaves it good: HEAD, a browser that loads ahead, anything that came through a proxy.
"""

from ipaddress import IPv6Address, ip_address

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.log import log_response
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from sessions_app import signin
from sessions_app.signin import Refusal, SigninRefused

REASONS = {
    Refusal.INVALID: _("This sign-in link is not complete, or it was made by another server."),
    Refusal.EXPIRED: _("This sign-in link is more than an hour old."),
    Refusal.USED: _("This sign-in link was used already, or you signed in another way since."),
    Refusal.ELSEWHERE: _("A sign-in link works only on the machine that the server runs on."),
    Refusal.PREVIEW: _("The link was only loaded ahead, not opened. It is still good."),
}


@never_cache
def signin_page(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in and go to the link's page, or 403 with the reason and the way to a new link."""
    try:
        _refuse_bystanders(request)
        entry = signin.redeem(token)
    except SigninRefused as refused:
        return _refused(request, refused.refusal)
    login(request, entry.user, backend="django.contrib.auth.backends.ModelBackend")
    response = redirect(entry.next_path)
    response["Referrer-Policy"] = "no-referrer"
    return response


def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    context = {"reason": REASONS[refusal]}
    response = render(request, "registration/signin_refused.html", context, status=403)
    # Logged here, because Django would log the path, and with it a link that may still be good.
    log_response("Sign-in refused: %s", refusal.value, request=request, response=response)
    return response


def _refuse_bystanders(request: HttpRequest) -> None:
    if not _is_loopback(request.META.get("REMOTE_ADDR", "")) or _was_forwarded(request):
        raise SigninRefused(Refusal.ELSEWHERE)
    if request.method != "GET" or "prefetch" in request.headers.get("Sec-Purpose", ""):
        raise SigninRefused(Refusal.PREVIEW)


def _is_loopback(address: str) -> bool:
    try:
        peer = ip_address(address)
    except ValueError:
        return False
    if isinstance(peer, IPv6Address) and peer.ipv4_mapped:
        return peer.ipv4_mapped.is_loopback
    return peer.is_loopback


def _was_forwarded(request: HttpRequest) -> bool:
    """A proxy on this machine makes everyone's address look local, but says that it forwards."""
    return any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "X-Real-IP"))
