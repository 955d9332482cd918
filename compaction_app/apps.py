from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CompactionAppConfig(AppConfig):
    name = "compaction_app"
    verbose_name = _("Compaction")
