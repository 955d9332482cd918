"""The form that changes a session: title, project, model, what the agent may do."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agent.text import clean
from sessions_app import selectors
from sessions_app.models import Session
from sessions_app.page.new_session import PROJECT_CHARS, TITLE_CHARS
from sessions_app.services import sessions
from sessions_app.services.sessions import SessionFields


class SessionSettings(forms.Form):
    """What may be changed of a session. Its model stays choosable also when it is not offered."""

    title = forms.CharField(label=_("Title"), required=False, max_length=TITLE_CHARS)
    model = forms.ChoiceField(label=_("Model"))
    permission_level = forms.ChoiceField(
        label=_("What the agent may do"), choices=Session.PermissionLevel.choices
    )
    project_key = forms.CharField(label=_("Project"), required=False, max_length=PROJECT_CHARS)

    def __init__(self, data: Any = None, *, session: Session) -> None:
        values = {
            "title": session.title,
            "model": session.model.name if session.model else "",
            "permission_level": session.permission_level,
            "project_key": session.project_key,
        }
        super().__init__(data, initial=values)
        self.session = session
        offered = {model.name: model for model in selectors.offered_models()}
        self.offered = {**offered, **({session.model.name: session.model} if session.model else {})}
        field = self.fields["model"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, name) for name in sorted(self.offered)]

    def clean_title(self) -> str:
        """Fit for storage."""
        return clean(self.cleaned_data["title"])

    def clean_project_key(self) -> str:
        """Fit for storage."""
        return clean(self.cleaned_data["project_key"])

    def save(self) -> None:
        """Store what was changed, and no more: a run writes meanwhile."""
        given = self.cleaned_data
        changes: dict[str, Any] = {name: given[name] for name in self.changed_data}
        if "model" in changes:
            changes["model"] = self.offered[changes["model"]]
        fields: SessionFields = {**changes}  # type: ignore[typeddict-item]  # the form's own names
        if fields:
            sessions.update(session=self.session, fields=fields)
