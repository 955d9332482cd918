"""Memory items and the record of their use."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from agent.prompt.quoting import bare_line


class MemoryItem(models.Model):
    """One remembered fact of one owner; injected into prompts only while ACTIVE."""

    class Scope(models.TextChoices):
        USER = "USER", _("User")
        PROJECT = "PROJECT", _("Project")

    class Source(models.TextChoices):
        MANUAL = "MANUAL", _("Written by the user")
        AUTO = "AUTO", _("Written by the agent")

    class Status(models.TextChoices):
        ACTIVE = "ACTIVE", _("Active")
        DISMISSED = "DISMISSED", _("Dismissed")
        PROPOSED = "PROPOSED", _("Proposed")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="memory_items",
        verbose_name=_("owner"),
    )
    scope = models.CharField(_("scope"), max_length=10, choices=Scope.choices, default=Scope.USER)
    project_key = models.CharField(_("project key"), max_length=200, blank=True)
    # sha256 of the key: a collation must not make two projects one
    project_hash = models.CharField(max_length=64, blank=True, editable=False)
    content = models.TextField(_("content"))
    source = models.CharField(
        _("source"), max_length=10, choices=Source.choices, default=Source.MANUAL
    )
    status = models.CharField(
        _("status"), max_length=10, choices=Status.choices, default=Status.ACTIVE
    )
    dedup_hash = models.CharField(max_length=64, editable=False)
    origin_session_id = models.PositiveBigIntegerField(_("origin session"), null=True, blank=True)
    origin_message_id = models.PositiveBigIntegerField(_("origin message"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta:
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        db_table = "memory_item"
        ordering = ["-updated_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "dedup_hash"], name="memory_item_once"),
        ]
        indexes = [
            models.Index(
                fields=["owner", "status", "scope", "project_hash", "-updated_at", "-id"],
                name="memory_injection",
            )
        ]

    def __str__(self) -> str:
        return bare_line(self.content)[:60]


class MemoryUse(models.Model):
    """A request carried this memory; ids of rows upstairs, kept without a foreign key."""

    memory = models.ForeignKey(MemoryItem, on_delete=models.CASCADE, related_name="uses")
    session_id = models.PositiveBigIntegerField()
    request_id = models.PositiveBigIntegerField()
    tokens = models.PositiveIntegerField()
    # sha256 of the content that was sent: tells whether the memory was changed since
    content_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("use of a memory")
        verbose_name_plural = _("uses of memories")
        db_table = "memory_use"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["memory", "request_id"], name="memory_use_once"),
        ]
        indexes = [
            models.Index(
                fields=["memory", "session_id", "id", "tokens"], name="memory_use_by_session"
            )
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id} in request {self.request_id}"
