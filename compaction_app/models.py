"""The handoff summary a session stands on, the history of its compactions, and the report."""

from django.db import models


class SessionCompaction(models.Model):
    """The current boundary and handoff summary of a session."""

    session = models.OneToOneField(
        "sessions_app.Session",
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="compaction",
    )
    summary_text = models.TextField()
    last_compacted_msg_id = models.PositiveBigIntegerField()
    newest_msg_id = models.PositiveBigIntegerField(null=True)  # the newest message when it was made
    compact_count = models.PositiveIntegerField()
    compact_model = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "session_compaction"

    def __str__(self) -> str:
        return f"compaction {self.compact_count} of session {self.pk}"


class SessionCompactionEvent(models.Model):
    """One compaction that was tried; token fields null = not reported, 0 = reported zero."""

    session = models.ForeignKey(
        "sessions_app.Session", on_delete=models.CASCADE, related_name="compaction_events"
    )
    execution_id = models.CharField(max_length=64, blank=True)
    trigger_mode = models.CharField(max_length=32)
    outcome = models.CharField(max_length=20)
    tier = models.CharField(max_length=10, blank=True)
    prev_boundary_msg_id = models.PositiveBigIntegerField(null=True)
    boundary_msg_id = models.PositiveBigIntegerField(null=True)
    newest_msg_id = models.PositiveBigIntegerField(null=True)
    compacted_message_count = models.PositiveIntegerField(default=0)
    before_tokens = models.PositiveIntegerField(null=True)
    after_tokens = models.PositiveIntegerField(null=True)
    saved_tokens = models.PositiveIntegerField(default=0)
    summary_tokens = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(null=True)
    cached_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    duration_ms = models.PositiveIntegerField(default=0)
    compact_model = models.CharField(max_length=100, blank=True)
    error = models.TextField(blank=True)
    summary_text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "session_compaction_event"
        ordering = ["-id"]
        indexes = [models.Index(fields=["session", "-id"], name="compaction_event_session")]

    def __str__(self) -> str:
        return f"{self.trigger_mode} {self.outcome}"


class SessionCompactionReport(models.Model):
    """Counters per session of everything around compaction, and the last act and error."""

    session = models.OneToOneField(
        "sessions_app.Session", primary_key=True, on_delete=models.CASCADE, related_name="report"
    )
    tool_calls = models.PositiveIntegerField(default=0)
    intents = models.PositiveIntegerField(default=0)
    expired = models.PositiveIntegerField(default=0)
    missed = models.PositiveIntegerField(default=0)
    acts = models.PositiveIntegerField(default=0)
    ok = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0)
    last_act = models.JSONField(null=True)
    last_error = models.JSONField(null=True)
    receipt = models.TextField(blank=True, default="")  # what the model is still to be told

    class Meta:
        db_table = "session_compaction_report"

    def __str__(self) -> str:
        return f"report of session {self.pk}"
