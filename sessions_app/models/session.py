"""A session: one conversation of one owner."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Session(models.Model):
    """One conversation, its settings, and the numbers last shown of its context."""

    class Phase(models.TextChoices):
        IDLE = "IDLE", _("Idle")
        RUNNING = "RUNNING", _("Running")
        WAITING_APPROVAL = "WAITING_APPROVAL", _("Waiting for approval")
        COMPLETED = "COMPLETED", _("Completed")
        FAILED = "FAILED", _("Failed")
        CANCELLED = "CANCELLED", _("Cancelled")
        INTERRUPTED = "INTERRUPTED", _("Interrupted")

    class Channel(models.TextChoices):
        WEB = "web"
        EMBED = "embed"
        WECHAT = "wechat"

    class WorkspaceKind(models.TextChoices):
        LOCAL = "LOCAL"
        CLOUD = "CLOUD"

    class PermissionLevel(models.TextChoices):
        READ_ONLY = "READ_ONLY", _("Read only")
        READ_WRITE = "READ_WRITE", _("Read and write")
        FULL = "FULL", _("Full")

    class Tier(models.TextChoices):
        LIGHT = "light"
        STANDARD = "standard"
        HEAVY = "heavy"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agent_sessions"
    )
    title = models.CharField(max_length=200, blank=True)
    agent_profile = models.ForeignKey(
        "AgentProfile", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    model = models.ForeignKey(
        "ModelProfile", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    workspace = models.CharField(max_length=1_000)
    workspace_kind = models.CharField(
        max_length=10, choices=WorkspaceKind.choices, default=WorkspaceKind.LOCAL
    )
    channel = models.CharField(max_length=10, choices=Channel.choices, default=Channel.WEB)
    project_key = models.CharField(max_length=200, blank=True)
    permission_level = models.CharField(
        max_length=20, choices=PermissionLevel.choices, default=PermissionLevel.READ_ONLY
    )
    memory_injection_disabled = models.BooleanField(
        default=False, db_default=False, db_comment="1 = long-term memories are not injected"
    )
    language = models.CharField(max_length=10, default="en")
    time_zone = models.CharField(max_length=64, default="UTC")
    compaction_tier = models.CharField(max_length=10, choices=Tier.choices, default=Tier.STANDARD)

    phase = models.CharField(max_length=20, choices=Phase.choices, default=Phase.IDLE)
    tasks = models.JSONField(default=list, blank=True)
    frame_seq = models.PositiveBigIntegerField(default=0, db_default=0)
    # What was pushed last: the numbers, and the text of the frame's data as it went out.
    context_tokens = models.PositiveIntegerField(null=True, blank=True)
    window_tokens = models.PositiveIntegerField(null=True, blank=True)
    context_frame = models.TextField(blank=True)
    context_execution_id = models.CharField(max_length=64, blank=True)
    context_updated_at = models.DateTimeField(null=True, blank=True)
    # The anchor: the provider's measured prompt and the last message it covered; null = void.
    anchor_tokens = models.PositiveIntegerField(null=True, blank=True)
    anchor_message_id = models.PositiveBigIntegerField(null=True, blank=True)

    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    active_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "session"
        ordering = ["-active_at", "-id"]
        indexes = [models.Index(fields=["owner", "-active_at", "-id"], name="session_owner_active")]

    def __str__(self) -> str:
        return self.title or f"#{self.pk}"
