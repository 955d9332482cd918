"""The models that can be used. A row names the environment variable of its key, never the key."""

from django.core.validators import RegexValidator
from django.db import models


class ModelProfile(models.Model):
    """One LLM as a provider offers it; empty fields of the environment's rows are filled at use."""

    class Provider(models.TextChoices):
        REHEARSAL = "rehearsal", "Rehearsal"
        OPENAI = "openai", "OpenAI-compatible"
        ANTHROPIC = "anthropic", "Anthropic"

    class NotesRole(models.TextChoices):
        DEVELOPER = "developer"
        SYSTEM = "system"
        USER = "user"

    name = models.CharField(max_length=100, unique=True)
    provider = models.CharField(max_length=20, choices=Provider.choices)
    model_id = models.CharField(max_length=200, blank=True)
    base_url = models.CharField(
        max_length=500, blank=True, validators=[RegexValidator(r"^https?://[^\s/]")]
    )
    key_variable = models.CharField(
        max_length=100, blank=True, help_text="NAME of the environment variable that holds the key."
    )
    window_tokens = models.PositiveIntegerField(null=True, blank=True)
    max_output_tokens = models.PositiveIntegerField(default=8_192)
    tokenizer = models.CharField(max_length=50, default="o200k_base")
    calibration = models.FloatField(default=1.0)
    notes_role = models.CharField(max_length=10, choices=NotesRole.choices, default=NotesRole.USER)
    vision = models.BooleanField(default=False)
    input_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cached_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    output_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    from_environment = models.BooleanField(
        default=False, help_text="Model id, base URL and window come from the environment."
    )
    enabled = models.BooleanField(default=True)
    default = models.BooleanField(default=False)

    class Meta:
        db_table = "model_profile"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
