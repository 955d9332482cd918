"""The request log: one row per model request, with its parts by content hash."""

from django.db import models


class PromptPart(models.Model):
    """A text that went to a model, stored once by its sha256."""

    hash = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()

    class Meta:
        db_table = "prompt_part"

    def __str__(self) -> str:
        return self.hash[:12]


class RequestLog(models.Model):
    """One model request: what was in it, what the provider measured, how it ended.

    `parts` is [[key, label, tokens, hash], ...] for sections, tools, handoff and notes, in wire
    order; the history is the stored messages `first_message_id`..`last_message_id`.
    """

    class Kind(models.TextChoices):
        RUN = "run"
        SUMMARY = "summary"

    session = models.ForeignKey("Session", on_delete=models.CASCADE, related_name="requests")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.RUN)
    execution_id = models.CharField(max_length=64)
    model_name = models.CharField(max_length=100, blank=True)
    estimated = models.PositiveIntegerField()
    actual = models.PositiveIntegerField(null=True)
    cached_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    duration_ms = models.PositiveIntegerField(null=True)
    stop_reason = models.CharField(max_length=50, blank=True)
    error = models.TextField(blank=True)
    manifest = models.TextField(blank=True)  # JSON; empty for summary requests
    parts = models.JSONField(default=list)
    first_message_id = models.PositiveBigIntegerField(null=True)
    last_message_id = models.PositiveBigIntegerField(null=True)
    boundary_message_id = models.PositiveBigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "request_log"
        ordering = ["-id"]
        indexes = [models.Index(fields=["session", "-id"], name="request_session_id")]

    def __str__(self) -> str:
        return f"request {self.pk}"
