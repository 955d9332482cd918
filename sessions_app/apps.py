from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SessionsAppConfig(AppConfig):
    name = "sessions_app"
    verbose_name = _("Sessions")

    def ready(self) -> None:
        from sessions_app import checks  # noqa: F401, PLC0415 - registers them, with the apps loaded
