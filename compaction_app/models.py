"""The handoff summary a session stands on, the history of its compactions, and the report."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from compaction_app.words import OUTCOMES, TIERS, TRIGGERS, told


class SessionCompaction(models.Model):
    """The current boundary and handoff summary of a session."""

    session = models.OneToOneField(
        "sessions_app.Session",
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="compaction",
        verbose_name=_("session"),
    )
    summary_text = models.TextField(_("summary"))
    last_compacted_msg_id = models.PositiveBigIntegerField(_("last compacted message"))
    newest_msg_id = models.PositiveBigIntegerField(
        _("newest message then"), null=True
    )  # the newest message when it was made
    compact_count = models.PositiveIntegerField(_("compactions"))
    compact_model = models.CharField(_("model"), max_length=100, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta:
        verbose_name = _("compaction")
        verbose_name_plural = _("compactions")
        db_table = "session_compaction"

    def __str__(self) -> str:
        return gettext("session %(id)s") % {"id": self.pk}


class SessionCompactionEvent(models.Model):
    """One compaction that was tried; token fields null = not reported, 0 = reported zero."""

    session = models.ForeignKey(
        "sessions_app.Session",
        on_delete=models.CASCADE,
        related_name="compaction_events",
        verbose_name=_("session"),
    )
    execution_id = models.CharField(_("execution id"), max_length=64, blank=True)
    trigger_mode = models.CharField(_("trigger"), max_length=32, choices=TRIGGERS)
    outcome = models.CharField(_("outcome"), max_length=20, choices=OUTCOMES)
    tier = models.CharField(_("tier"), max_length=10, blank=True, choices=TIERS)
    prev_boundary_msg_id = models.PositiveBigIntegerField(_("boundary before"), null=True)
    boundary_msg_id = models.PositiveBigIntegerField(_("boundary message"), null=True)
    newest_msg_id = models.PositiveBigIntegerField(_("newest message then"), null=True)
    compacted_message_count = models.PositiveIntegerField(_("messages"), default=0)
    before_tokens = models.PositiveIntegerField(_("tokens before"), null=True)
    after_tokens = models.PositiveIntegerField(_("tokens after"), null=True)
    saved_tokens = models.PositiveIntegerField(_("saved tokens"), default=0)
    summary_tokens = models.PositiveIntegerField(_("tokens of the summary"), default=0)
    prompt_tokens = models.PositiveIntegerField(_("prompt tokens"), null=True)
    cached_tokens = models.PositiveIntegerField(_("cached tokens"), null=True)
    completion_tokens = models.PositiveIntegerField(_("output tokens"), null=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), default=0)
    compact_model = models.CharField(_("model"), max_length=100, blank=True)
    error = models.TextField(_("error"), blank=True)
    summary_text = models.TextField(_("summary"), blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("compaction event")
        verbose_name_plural = _("compaction events")
        db_table = "session_compaction_event"
        ordering = ["-id"]
        indexes = [models.Index(fields=["session", "-id"], name="compaction_event_session")]

    def __str__(self) -> str:
        return told(self.trigger_mode, self.outcome)


class SessionCompactionReport(models.Model):
    """Counters per session of everything around compaction, and the last act and error."""

    session = models.OneToOneField(
        "sessions_app.Session",
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="report",
        verbose_name=_("session"),
    )
    tool_calls = models.PositiveIntegerField(_("tool calls"), default=0)
    intents = models.PositiveIntegerField(_("scheduled"), default=0)
    expired = models.PositiveIntegerField(_("expired"), default=0)
    missed = models.PositiveIntegerField(_("missed"), default=0)
    acts = models.PositiveIntegerField(_("carried out"), default=0)
    ok = models.PositiveIntegerField(_("succeeded"), default=0)
    errors = models.PositiveIntegerField(_("failed"), default=0)
    last_act = models.JSONField(_("last act"), null=True)
    last_error = models.JSONField(_("last error"), null=True)
    receipt = models.TextField(
        _("receipt"), blank=True, default=""
    )  # what the model is still to be told

    class Meta:
        verbose_name = _("compaction report")
        verbose_name_plural = _("compaction reports")
        db_table = "session_compaction_report"

    def __str__(self) -> str:
        return gettext("session %(id)s") % {"id": self.pk}
