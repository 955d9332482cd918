"""What was really said: users' input, the model's answers, tools' results."""

from django.db import models


class Message(models.Model):
    """One message; content and calls as they came (cleaned of NUL and lone surrogates)."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"
        TOOL = "tool"

    session = models.ForeignKey("Session", on_delete=models.CASCADE, related_name="messages")
    execution_id = models.CharField(max_length=64, blank=True)
    role = models.CharField(max_length=10, choices=Role.choices)
    content = models.TextField(blank=True)
    tool_calls = models.JSONField(default=list, blank=True)  # [{id, name, arguments: raw text}]
    tool_call_id = models.CharField(max_length=200, blank=True)
    tool_name = models.CharField(max_length=200, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    tokens = models.PositiveIntegerField(null=True, blank=True)
    tokenizer = models.CharField(max_length=50, blank=True)
    event_key = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 - null: no event
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "message"
        ordering = ["id"]
        indexes = [models.Index(fields=["session", "id"], name="message_session_id")]
        constraints = [
            models.UniqueConstraint(fields=["session", "event_key"], name="message_event_once"),
        ]

    def __str__(self) -> str:
        return f"{self.role} #{self.pk}"


class ToolOutput(models.Model):
    """A piece of the whole output of a call whose result was cut, for people and for `read_output`.

    In pieces, because a database takes rows of a few megabytes only.
    """

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="output_pieces")
    position = models.PositiveIntegerField(default=0)
    output = models.TextField()

    class Meta:
        db_table = "tool_output"
        ordering = ["message", "position"]
        constraints = [
            models.UniqueConstraint(fields=["message", "position"], name="tool_output_piece_once"),
        ]

    def __str__(self) -> str:
        return f"output of message {self.message_id}, piece {self.position}"
