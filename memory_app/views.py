"""The settings page of memories. Works without scripts: each action is a form that leads back."""

from collections.abc import Callable
from functools import partial
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memory_app import services
from memory_app.errors import MemoryRefused
from memory_app.forms import MemoryForm
from memory_app.models import MemoryItem
from memory_app.page import row_id, settings_page
from memory_app.services import MemoryFields


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def memory_settings(request: HttpRequest) -> HttpResponse:
    """The user's memories; a POST changes one, then leads back to it."""
    if request.method == "POST":
        return _act(request)
    return _shown(request)


def _act(request: HttpRequest) -> HttpResponse:
    """Do what the pressed button says: its name is the action, its value the memory's id."""
    if "add" in request.POST:
        return _add(request)
    for name, action in ACTIONS.items():
        memory_id = row_id(request.POST.get(name, ""))
        if memory_id is not None:
            return action(request, memory_id)
    return _shown(request, problem=_("Nothing was changed: no action was chosen."))


def _add(request: HttpRequest) -> HttpResponse:
    form = MemoryForm(request.POST)
    form.is_valid()
    columns = form.columns()
    try:
        item, created = services.memory_create(
            owner_id=_user(request).pk,
            content=columns["content"],
            scope=columns["scope"],
            project_key=columns["project_key"],
        )
    except MemoryRefused as refused:
        form.refuse(refused)
        return _shown(request, add=form)
    if not created:
        messages.info(request, _("It was there already; here it is, active."))
    return _back(request, item.pk)


def _save(request: HttpRequest, memory_id: int) -> HttpResponse:
    form = MemoryForm(request.POST)
    form.is_valid()
    try:
        services.memory_update(
            owner_id=_user(request).pk, memory_id=memory_id, fields=form.columns()
        )
    except MemoryRefused as refused:
        form.refuse(refused)
        return _shown(request, edit=form, editing=memory_id)
    return _back(request, memory_id)


def _delete(request: HttpRequest, memory_id: int) -> HttpResponse:
    services.memory_delete(owner_id=_user(request).pk, memory_id=memory_id)
    messages.success(request, _("Memory %(id)s is deleted.") % {"id": memory_id})
    return _back(request)


def _set_status(status: str, request: HttpRequest, memory_id: int) -> HttpResponse:
    fields: MemoryFields = {"status": status}
    try:
        services.memory_update(owner_id=_user(request).pk, memory_id=memory_id, fields=fields)
    except MemoryRefused as refused:
        return _shown(request, problem=str(refused))
    return _back(request, memory_id)


ACTIONS: dict[str, Callable[[HttpRequest, int], HttpResponse]] = {
    "save": _save,
    "delete": _delete,
    "accept": partial(_set_status, MemoryItem.Status.ACTIVE),
    "restore": partial(_set_status, MemoryItem.Status.ACTIVE),
    "dismiss": partial(_set_status, MemoryItem.Status.DISMISSED),
}


def _shown(
    request: HttpRequest,
    *,
    add: MemoryForm | None = None,
    edit: MemoryForm | None = None,
    editing: int | None = None,
    problem: str = "",
) -> HttpResponse:
    """The page; 400 after a form that was refused, 404 for a memory that is not there."""
    query = request.GET if request.method != "POST" else _kept(request)
    if editing is not None:
        query["edit"] = str(editing)
    page = settings_page(_user(request), query, add=add, edit=edit)
    refused = bool(add or edit or problem)
    status = 400 if refused else 404 if page.missing else 200
    context = {"page": page, "problem": problem}
    response = render(request, "memory/settings.html", context, status=status)
    patch_cache_control(response, no_store=True, private=True)
    return response


def _back(request: HttpRequest, memory_id: int | None = None) -> HttpResponse:
    """To where the form was, and there to the memory; to the top when it is gone.

    Never without a fragment: a browser would keep that of the page before.
    """
    kept = _kept(request).urlencode()
    place = f"#memory-{memory_id}" if memory_id is not None else "#main"
    return redirect(reverse("memory_settings") + (f"?{kept}" if kept else "") + place)


def _kept(request: HttpRequest) -> QueryDict:
    """The address part that the form was shown with."""
    return QueryDict(request.POST.get("back", ""), mutable=True)


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)
