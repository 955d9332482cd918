"""What was really said: users' input, the model's answers, tools' results."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Message(models.Model):
    """One message; content and calls as they came (cleaned of NUL and lone surrogates)."""

    class Role(models.TextChoices):
        USER = "user", _("User")
        ASSISTANT = "assistant", _("Assistant")
        TOOL = "tool", _("Tool")

    session = models.ForeignKey(
        "Session", on_delete=models.CASCADE, related_name="messages", verbose_name=_("session")
    )
    execution_id = models.CharField(_("execution id"), max_length=64, blank=True)
    role = models.CharField(_("role"), max_length=10, choices=Role.choices)
    content = models.TextField(_("content"), blank=True)
    tool_calls = models.JSONField(
        _("tool calls"), default=list, blank=True
    )  # [{id, name, arguments: raw text}]
    tool_call_id = models.CharField(_("tool call id"), max_length=200, blank=True)
    tool_name = models.CharField(_("tool"), max_length=200, blank=True)
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)
    tokens = models.PositiveIntegerField(_("tokens"), null=True, blank=True)
    tokenizer = models.CharField(_("tokenizer"), max_length=50, blank=True)
    event_key = models.CharField(_("event key"), max_length=64, null=True, blank=True)  # noqa: DJ001 - null: no event
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        db_table = "message"
        ordering = ["id"]
        indexes = [models.Index(fields=["session", "id"], name="message_session_id")]
        constraints = [
            models.UniqueConstraint(fields=["session", "event_key"], name="message_event_once"),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()} #{self.pk}"


class ToolOutput(models.Model):
    """A piece of the whole output of a call whose result was cut, for people and for `read_output`.

    In pieces, because a database takes rows of a few megabytes only.
    """

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="output_pieces")
    position = models.PositiveIntegerField(default=0)
    output = models.TextField()

    class Meta:
        verbose_name = _("tool output")
        verbose_name_plural = _("tool outputs")
        db_table = "tool_output"
        ordering = ["message", "position"]
        constraints = [
            models.UniqueConstraint(fields=["message", "position"], name="tool_output_piece_once"),
        ]

    def __str__(self) -> str:
        return f"output of message {self.message_id}, piece {self.position}"
