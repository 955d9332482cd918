"""Who the agent is: its persona and its best practices."""

from django.conf import settings
from django.db import models


class AgentProfile(models.Model):
    """A persona that sessions of its owner may use; `owner` null = offered to everyone."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    name = models.CharField(max_length=100)
    persona = models.TextField(blank=True)
    experiences = models.TextField(blank=True, help_text="Best practices, one a line.")
    default = models.BooleanField(default=False, db_default=False)

    class Meta:
        db_table = "agent_profile"
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
