"""The forms of the settings page."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memory_app.errors import MemoryRefused
from memory_app.models import MemoryItem
from memory_app.selectors import MemoryFilter
from memory_app.services import MemoryFields

Scope, Status = MemoryItem.Scope, MemoryItem.Status

PLACES = [(Scope.USER.value, _("For all sessions")), (Scope.PROJECT.value, _("Of projects"))]
OF_FIELD = {"content": "content", "projectKey": "project_key"}  # REST name -> field here


class MemoryForm(forms.Form):
    """A memory's text and project; without a project it goes with every session.

    Whether a memory can have these values is the service's to say.
    """

    content = forms.CharField(label=_("What to remember"), strip=False, required=False)
    project_key = forms.CharField(label=_("Project"), required=False)

    def clean_content(self) -> str:
        """The text with line ends as they were typed: a browser sends each as CR LF."""
        text: str = self.cleaned_data["content"]
        return text.replace("\r\n", "\n")

    def columns(self) -> MemoryFields:
        """What the service takes."""
        key: str = self.cleaned_data["project_key"]
        return {
            "content": self.cleaned_data["content"],
            "project_key": key,
            "scope": Scope.PROJECT if key else Scope.USER,
        }

    def refuse(self, refused: MemoryRefused) -> None:
        """Show why the service would not write it."""
        self.add_error(OF_FIELD.get(refused.field), str(refused))

    @classmethod
    def of(cls, item: MemoryItem) -> "MemoryForm":
        """The form that changes a memory."""
        return cls(initial={"content": item.content, "project_key": item.project_key})


class FilterForm(forms.Form):
    """What the list is narrowed to; a value that is not valid narrows nothing."""

    search = forms.CharField(required=False)
    scope = forms.ChoiceField(required=False, choices=[("", _("All places")), *PLACES])
    status = forms.ChoiceField(required=False, choices=[("", _("Any status")), *Status.choices])
    project = forms.CharField(required=False)

    def narrowed(self) -> MemoryFilter:
        """The filter; call it once the form is bound."""
        self.is_valid()
        given: dict[str, Any] = self.cleaned_data
        return MemoryFilter(
            scope=given.get("scope") or None,
            status=given.get("status") or None,
            project_key=given.get("project") or None,
            search=given.get("search", ""),
        )
