"""The one permanent row per session that says who executes. Written by `claims.py` only."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Claim(models.Model):
    """Free = empty execution id. Times are milliseconds of the database's clock since the epoch."""

    class Kind(models.TextChoices):
        RUN = "run"
        COMPACTION = "compaction"
        SETTLING = "settling"  # a run that has answered and tidies up: gives way to a message

    session = models.OneToOneField(
        "Session", primary_key=True, on_delete=models.CASCADE, related_name="claim"
    )
    execution_id = models.CharField(max_length=64, blank=True, default="", db_default="")
    kind = models.CharField(max_length=20, blank=True, default="", db_default="")
    holder = models.CharField(max_length=64, blank=True, default="", db_default="")
    lease_until_ms = models.BigIntegerField(default=0, db_default=0)
    lease_ms = models.PositiveIntegerField(default=0, db_default=0)
    cancel_requested = models.BooleanField(default=False, db_default=False)
    compact_requested = models.BooleanField(default=False, db_default=False)
    compact_instructions = models.TextField(blank=True, default="")
    compact_tier = models.CharField(max_length=10, blank=True, default="", db_default="")
    # What is streaming now, as JSON of the snapshot's `partial`, for pages of other processes.
    partial = models.TextField(blank=True, default="")

    class Meta:
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        db_table = "session_claim"
        indexes = [models.Index(fields=["execution_id"], name="claim_execution")]

    def __str__(self) -> str:
        return self.execution_id or "free"
