"""The form that makes a session."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from agent.errors import ConfigurationError
from agent.text import clean
from sessions_app import selectors, workspaces
from sessions_app.models import Session
from sessions_app.services import sessions
from sessions_app.services.sessions import SessionFields
from sessions_app.spoken import spoken

TITLE_CHARS = PROJECT_CHARS = 200


class NewSession(forms.Form):
    """What may be chosen of a new session; everything may stay empty."""

    title = forms.CharField(label=_("Title"), required=False, max_length=TITLE_CHARS)
    model = forms.ChoiceField(label=_("Model"), required=False)
    workspace = forms.CharField(label=_("Workspace"), required=False, strip=False)
    permission_level = forms.ChoiceField(
        label=_("What the agent may do"),
        required=False,
        choices=Session.PermissionLevel.choices,
        initial=Session.PermissionLevel.READ_ONLY,
    )
    project_key = forms.CharField(label=_("Project"), required=False, max_length=PROJECT_CHARS)

    def __init__(self, data: Any = None, *, owner: User) -> None:
        offered = selectors.offered_models()
        default = selectors.default_model(offered)
        super().__init__(data, initial={"model": default.name if default else ""})
        self.owner = owner
        self.offered = {model.name: model for model in offered}
        field = self.fields["model"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, name) for name in self.offered]

    def clean_title(self) -> str:
        """Fit for storage."""
        return clean(self.cleaned_data["title"])

    def clean_project_key(self) -> str:
        """Fit for storage."""
        return clean(self.cleaned_data["project_key"])

    def clean_workspace(self) -> str:
        """Empty, or a folder that this user's sessions may work in."""
        text = self.cleaned_data["workspace"]
        if not text:
            return ""
        try:
            return str(workspaces.allowed(text, owner_id=self.owner.pk))
        except workspaces.WorkspaceNotAllowed as problem:
            raise forms.ValidationError(str(problem)) from problem

    def create(self) -> Session | None:
        """Make the session; None, with an error in the form, when no model can be used."""
        given = self.cleaned_data
        fields: SessionFields = {
            "title": given["title"],
            "project_key": given["project_key"],
            "language": get_language() or "en",
        }
        if given["permission_level"]:
            fields["permission_level"] = given["permission_level"]
        if given["model"]:
            fields["model"] = self.offered[given["model"]]
        if given["workspace"]:
            fields["workspace"] = given["workspace"]
        try:
            return sessions.create(owner=self.owner, fields=fields)
        except ConfigurationError as problem:
            self.add_error(None, spoken(problem.user_message))
            return None
