"""The models that can be used. A row names the environment variable of its key, never the key."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class ModelProfile(models.Model):
    """One LLM as a provider offers it; empty fields of the environment's rows are filled at use."""

    class Provider(models.TextChoices):
        REHEARSAL = "rehearsal", _("Rehearsal")
        OPENAI = "openai", _("OpenAI-compatible")
        ANTHROPIC = "anthropic", "Anthropic"

    class NotesRole(models.TextChoices):
        DEVELOPER = "developer", _("Developer")
        SYSTEM = "system", _("System")
        USER = "user", _("User")

    name = models.CharField(_("name"), max_length=100, unique=True)
    provider = models.CharField(_("provider"), max_length=20, choices=Provider.choices)
    model_id = models.CharField(_("model id"), max_length=200, blank=True)
    base_url = models.CharField(
        _("base URL"), max_length=500, blank=True, validators=[RegexValidator(r"^https?://[^\s/]")]
    )
    key_variable = models.CharField(
        _("variable of the key"),
        max_length=100,
        blank=True,
        help_text=_("Name of the environment variable that holds the key."),
    )
    window_tokens = models.PositiveIntegerField(_("window (tokens)"), null=True, blank=True)
    max_output_tokens = models.PositiveIntegerField(_("longest answer (tokens)"), default=8_192)
    tokenizer = models.CharField(_("tokenizer"), max_length=50, default="o200k_base")
    calibration = models.FloatField(_("calibration"), default=1.0)
    notes_role = models.CharField(
        _("role of notes"), max_length=10, choices=NotesRole.choices, default=NotesRole.USER
    )
    vision = models.BooleanField(_("reads images"), default=False)
    input_price = models.DecimalField(
        _("input price"), max_digits=10, decimal_places=4, null=True, blank=True
    )
    cached_price = models.DecimalField(
        _("cached input price"), max_digits=10, decimal_places=4, null=True, blank=True
    )
    output_price = models.DecimalField(
        _("output price"), max_digits=10, decimal_places=4, null=True, blank=True
    )
    from_environment = models.BooleanField(
        _("from the environment"),
        default=False,
        help_text=_("Model id, base URL and window come from the environment."),
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    default = models.BooleanField(_("default"), default=False)

    class Meta:
        verbose_name = _("model")
        verbose_name_plural = _("models")
        db_table = "model_profile"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
