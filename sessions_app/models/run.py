"""A run: what one user message started. Kept for history; the claim row is the live execution."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from sessions_app.models.session import Session


class Run(models.Model):
    """One run and how it ended; `phase` is RUNNING until then."""

    session = models.ForeignKey(
        "Session", on_delete=models.CASCADE, related_name="runs", verbose_name=_("session")
    )
    execution_id = models.CharField(_("execution id"), max_length=64)
    message = models.OneToOneField(
        "Message", on_delete=models.CASCADE, related_name="run", verbose_name=_("message")
    )
    phase = models.CharField(
        _("state"), max_length=20, choices=Session.Phase.choices, default=Session.Phase.RUNNING
    )
    error = models.TextField(_("error"), blank=True)
    started_at = models.DateTimeField(_("started at"), auto_now_add=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        db_table = "session_run"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["session", "execution_id"], name="run_execution_once"),
        ]

    def __str__(self) -> str:
        return self.execution_id
