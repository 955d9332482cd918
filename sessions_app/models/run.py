"""A run: what one user message started. Kept for history; the claim row is the live execution."""

from django.db import models

from sessions_app.models.session import Session


class Run(models.Model):
    """One run and how it ended; `phase` is RUNNING until then."""

    session = models.ForeignKey("Session", on_delete=models.CASCADE, related_name="runs")
    execution_id = models.CharField(max_length=64)
    message = models.OneToOneField("Message", on_delete=models.CASCADE, related_name="run")
    phase = models.CharField(
        max_length=20, choices=Session.Phase.choices, default=Session.Phase.RUNNING
    )
    error = models.TextField(blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "session_run"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["session", "execution_id"], name="run_execution_once"),
        ]

    def __str__(self) -> str:
        return self.execution_id
