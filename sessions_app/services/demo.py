"""The first user and a session on this checkout, for whoever starts a server to look around."""

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

from sessions_app import transactions
from sessions_app.models import Session
from sessions_app.services import sessions

USERNAME = "demo"
TITLE = "A tour of this checkout"


def user_create() -> User:
    """The user `demo`, made at the first call: without a password, and staff, to see the admin."""
    found, _ = User.objects.get_or_create(
        username=USERNAME,
        defaults={"password": make_password(None), "is_staff": True, "is_superuser": True},
    )
    return found


def session_create(*, owner: User) -> Session:
    """The owner's session on this checkout, made if there is none."""
    workspace = str(settings.BASE_DIR)

    def work() -> Session:
        User.objects.select_for_update().get(pk=owner.pk)  # two starts at once make one session
        found = Session.objects.filter(owner=owner, workspace=workspace).order_by("id").first()
        return found or sessions.create(
            owner=owner, fields={"title": TITLE, "workspace": workspace}
        )

    return transactions.run(work)
