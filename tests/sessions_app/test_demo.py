"""The first user and the demo session are made once."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from sessions_app.models import Claim, ModelProfile, Session
from sessions_app.services import demo

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def test_the_first_user_has_no_password_and_sees_the_admin() -> None:
    user = demo.user_create()
    assert not user.has_usable_password()
    assert (user.username, user.is_staff, user.is_superuser) == ("demo", True, True)


def test_a_second_start_makes_nothing_again(model: ModelProfile) -> None:
    sessions = {demo.session_create(owner=demo.user_create()).pk for _ in range(2)}
    assert len(sessions) == User.objects.count() == Session.objects.count() == 1


def test_the_demo_session_works_on_this_checkout(model: ModelProfile) -> None:
    session = demo.session_create(owner=demo.user_create())
    assert session.workspace == str(settings.BASE_DIR)
    assert session.permission_level == Session.PermissionLevel.READ_ONLY
    assert Claim.objects.filter(session=session).exists()
