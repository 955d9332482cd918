"""Django's users, with a deletion page that counts their sessions instead of listing them."""

from collections.abc import Iterable

from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import User
from django.http import HttpRequest

from sessions_app.admin.counted_deletion import Deletion, counted
from sessions_app.models import Session

admin.site.unregister(User)


@admin.register(User)
class UserAdmin(auth_admin.UserAdmin[User]):
    def get_deleted_objects(self, objs: Iterable[User], request: HttpRequest) -> Deletion:
        rows = list(objs)
        sessions = Session.objects.filter(owner__in=rows)
        return counted(rows, list(sessions.values_list("pk", flat=True)))
