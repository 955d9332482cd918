"""A session: one conversation of one owner."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from compaction_app.words import TIERS


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
        WEB = "web", _("Web")
        EMBED = "embed", _("Embedded")
        WECHAT = "wechat", _("WeChat")

    class WorkspaceKind(models.TextChoices):
        LOCAL = "LOCAL", _("Local")
        CLOUD = "CLOUD", _("Cloud")

    class PermissionLevel(models.TextChoices):
        READ_ONLY = "READ_ONLY", _("Read only")
        READ_WRITE = "READ_WRITE", _("Read and write")
        FULL = "FULL", _("Full")

    class Tier(models.TextChoices):
        LIGHT = "light", TIERS["light"]
        STANDARD = "standard", TIERS["standard"]
        HEAVY = "heavy", TIERS["heavy"]

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="agent_sessions",
        verbose_name=_("owner"),
    )
    title = models.CharField(_("title"), max_length=200, blank=True)
    agent_profile = models.ForeignKey(
        "AgentProfile",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("agent profile"),
    )
    model = models.ForeignKey(
        "ModelProfile",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("model"),
    )
    workspace = models.CharField(_("workspace"), max_length=1_000)
    workspace_kind = models.CharField(
        _("kind of workspace"),
        max_length=10,
        choices=WorkspaceKind.choices,
        default=WorkspaceKind.LOCAL,
    )
    channel = models.CharField(
        _("channel"), max_length=10, choices=Channel.choices, default=Channel.WEB
    )
    project_key = models.CharField(_("project key"), max_length=200, blank=True)
    permission_level = models.CharField(
        _("permission level"),
        max_length=20,
        choices=PermissionLevel.choices,
        default=PermissionLevel.READ_ONLY,
    )
    memory_injection_disabled = models.BooleanField(
        _("memories held back"),
        default=False,
        db_default=False,
        db_comment="1 = long-term memories are not injected",
    )
    language = models.CharField(_("language"), max_length=10, default="en")
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    compaction_tier = models.CharField(
        _("compaction tier"), max_length=10, choices=Tier.choices, default=Tier.STANDARD
    )

    phase = models.CharField(_("state"), max_length=20, choices=Phase.choices, default=Phase.IDLE)
    tasks = models.JSONField(_("tasks"), default=list, blank=True)
    frame_seq = models.PositiveBigIntegerField(default=0, db_default=0)
    # What was pushed last: the numbers, and the text of the frame's data as it went out.
    context_tokens = models.PositiveIntegerField(_("context (tokens)"), null=True, blank=True)
    window_tokens = models.PositiveIntegerField(_("window (tokens)"), null=True, blank=True)
    context_frame = models.TextField(blank=True)
    context_execution_id = models.CharField(max_length=64, blank=True)
    context_updated_at = models.DateTimeField(null=True, blank=True)
    # The anchor: the provider's measured prompt and the last message it covered; null = void.
    anchor_tokens = models.PositiveIntegerField(null=True, blank=True)
    anchor_message_id = models.PositiveBigIntegerField(null=True, blank=True)

    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)
    active_at = models.DateTimeField(_("last active"), auto_now_add=True)

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        db_table = "session"
        ordering = ["-active_at", "-id"]
        indexes = [models.Index(fields=["owner", "-active_at", "-id"], name="session_owner_active")]

    def __str__(self) -> str:
        return self.title or f"#{self.pk}"
