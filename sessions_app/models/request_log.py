"""The request log: one row per model request, with its parts by content hash."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class PromptPart(models.Model):
    """A text that went to a model, stored once by its sha256."""

    hash = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()

    class Meta:
        verbose_name = _("prompt part")
        verbose_name_plural = _("prompt parts")
        db_table = "prompt_part"

    def __str__(self) -> str:
        return self.hash[:12]


class RequestLog(models.Model):
    """One model request: what was in it, what the provider measured, how it ended.

    `parts` is [[key, label, tokens, hash], ...] for sections, tools, handoff and notes, in wire
    order; the history is the stored messages `first_message_id`..`last_message_id`.
    """

    class Kind(models.TextChoices):
        RUN = "run", _("Run")
        SUMMARY = "summary", _("Summary")

    session = models.ForeignKey(
        "Session", on_delete=models.CASCADE, related_name="requests", verbose_name=_("session")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.RUN)
    execution_id = models.CharField(_("execution id"), max_length=64)
    model_name = models.CharField(_("model"), max_length=100, blank=True)
    estimated = models.PositiveIntegerField(_("estimated tokens"))
    actual = models.PositiveIntegerField(_("measured tokens"), null=True)
    cached_tokens = models.PositiveIntegerField(_("cached tokens"), null=True)
    output_tokens = models.PositiveIntegerField(_("output tokens"), null=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), null=True)
    stop_reason = models.CharField(_("stop reason"), max_length=50, blank=True)
    error = models.TextField(_("error"), blank=True)
    manifest = models.TextField(_("manifest"), blank=True)  # JSON; empty for summary requests
    parts = models.JSONField(_("parts"), default=list)
    first_message_id = models.PositiveBigIntegerField(_("first message"), null=True)
    last_message_id = models.PositiveBigIntegerField(_("last message"), null=True)
    boundary_message_id = models.PositiveBigIntegerField(_("boundary message"), null=True)
    created_at = models.DateTimeField(_("sent at"), auto_now_add=True)

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("request log")
        db_table = "request_log"
        ordering = ["-id"]
        indexes = [models.Index(fields=["session", "-id"], name="request_session_id")]

    def __str__(self) -> str:
        return gettext("Request #%(id)s") % {"id": self.pk}
