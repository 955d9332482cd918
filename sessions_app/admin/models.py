"""The models that sessions may use. Keys stay in the environment; a row holds a variable's name."""

import re

from django import forms
from django.contrib import admin
from django.db.models import BigIntegerField, QuerySet, Value
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from sessions_app import selectors
from sessions_app.models import ModelProfile
from sessions_app.services import models

VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
OURS = {"SECRET_KEY", "DATABASE_URL", "REDIS_URL"}  # must go to no provider


class ModelProfileForm(forms.ModelForm[ModelProfile]):
    base_url = forms.URLField(
        required=False,
        assume_scheme="http",
        label=_("base URL"),
        help_text=_("Empty: the provider's own, or the environment's."),
    )

    def clean_key_variable(self) -> str:
        """The name of a variable: whoever pastes a key itself is told before it is stored."""
        name: str = self.cleaned_data["key_variable"]
        if name and (not VARIABLE.fullmatch(name) or name in OURS):
            raise forms.ValidationError(
                _(
                    "Not the name of a key's variable; allowed: capitals, digits and _, such as "
                    "OPENAI_API_KEY, but not %(names)s."
                ),
                params={"names": ", ".join(sorted(OURS))},
            )
        return name


@admin.register(ModelProfile)
class ModelProfileAdmin(admin.ModelAdmin[ModelProfile]):
    form = ModelProfileForm
    list_display = [
        "name",
        "provider",
        "used_id",
        "used_window",
        "can_be_used",
        "enabled",
        "for_new_sessions",
    ]
    list_filter = ["provider", "enabled"]
    search_fields = ["name", "model_id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelProfile]:
        """Each row with the id of the one that new sessions get."""
        default = selectors.default_model(selectors.offered_models())
        given = Value(default.pk if default else None, output_field=BigIntegerField())
        return super().get_queryset(request).annotate(given=given)

    @admin.display(description=_("default"), boolean=True)
    def for_new_sessions(self, row: ModelProfile) -> bool:
        """As `GET /v1/models` says: flagged or not, it is what new sessions get."""
        return bool(row.pk == row.given)  # type: ignore[attr-defined]  # annotated above

    @admin.display(description=_("model id"))
    def used_id(self, row: ModelProfile) -> str:
        return models.model_id(row)

    @admin.display(description=_("window (tokens)"))
    def used_window(self, row: ModelProfile) -> int | None:
        return models.window_tokens(row)

    @admin.display(description=_("key or server known"), boolean=True)
    def can_be_used(self, row: ModelProfile) -> bool:
        return models.usable(row)

    def save_model(
        self,
        request: HttpRequest,
        obj: ModelProfile,
        form: forms.ModelForm[ModelProfile],
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        models.save(profile=obj)
