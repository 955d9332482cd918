"""The sign-in link: signed, good for one hour and for one use, printed in the terminal of the
server.

A link names a user and that user's last sign-in, and using it is one conditional UPDATE of exactly
that value: any number of requests at once, one gets in, and any other sign-in in between voids the
link.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils import timezone

from sessions_app import transactions

SALT = "sessions_app.signin"
MAX_AGE_S = 3_600


class Refusal(Enum):
    """Why a link lets nobody in."""

    INVALID = "invalid"
    EXPIRED = "expired"
    USED = "used"
    ELSEWHERE = "elsewhere"  # the request does not come from this machine
    PREVIEW = "preview"  # a browser that loads ahead; the link stays good


class SigninRefused(Exception):
    """The link is not accepted; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Signin:
    """Who gets in, and the page of this site that is shown then."""

    user: User
    next_path: str


def path(user: User, *, next_path: str = "/") -> str:
    """The link's path for this user; `next_path` is a path of this site, signed with the rest."""
    last_login = user.last_login.isoformat() if user.last_login else ""
    token = signing.dumps([user.pk, last_login, next_path], salt=SALT)
    return reverse("signin", args=[token])


def redeem(token: str) -> Signin:
    """Use up the token. Raises SigninRefused: INVALID, EXPIRED, or USED (also: signed in since)."""
    try:
        user_id, last_login, next_path = signing.loads(token, salt=SALT, max_age=MAX_AGE_S)
    except signing.SignatureExpired as error:
        raise SigninRefused(Refusal.EXPIRED) from error
    except signing.BadSignature as error:
        raise SigninRefused(Refusal.INVALID) from error
    unused = User.objects.filter(
        pk=user_id,
        is_active=True,
        last_login=datetime.fromisoformat(last_login) if last_login else None,
    )
    if not transactions.run(lambda: unused.update(last_login=timezone.now())):
        raise SigninRefused(Refusal.USED)
    return Signin(User.objects.get(pk=user_id), next_path)
