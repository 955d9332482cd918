from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MemoryAppConfig(AppConfig):
    name = "memory_app"
    verbose_name = _("Memory")
