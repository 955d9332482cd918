"""Frames as rows: what every page of a session was shown, in order and without gaps."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Frame(models.Model):
    """One server frame; `text` is the whole frame as it goes out."""

    session = models.ForeignKey("Session", on_delete=models.CASCADE, related_name="frames")
    seq = models.PositiveBigIntegerField()
    type = models.CharField(max_length=40)
    execution_id = models.CharField(max_length=64, blank=True)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("frame")
        verbose_name_plural = _("frames")
        db_table = "frame"
        ordering = ["session", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="frame_seq_once"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.seq}"
