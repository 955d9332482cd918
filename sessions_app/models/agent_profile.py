"""Who the agent is: its persona and its best practices."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class AgentProfile(models.Model):
    """A persona that sessions of its owner may use; `owner` null = offered to everyone."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        verbose_name=_("owner"),
    )
    name = models.CharField(_("name"), max_length=100)
    persona = models.TextField(_("persona"), blank=True)
    experiences = models.TextField(_("best practices"), blank=True, help_text=_("One a line."))
    default = models.BooleanField(_("default"), default=False, db_default=False)

    class Meta:
        verbose_name = _("agent profile")
        verbose_name_plural = _("agent profiles")
        db_table = "agent_profile"
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
