"""What all REST views share."""

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.cache import patch_cache_control
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app import selectors
from sessions_app.api.inputs import Input
from sessions_app.models import Session

UNKNOWN_LENGTH = "-1"

S = TypeVar("S", bound=Input)


class View(APIView):
    """A view that knows its user and, where the path names one, the user's session."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """A chunked body has no length; DRF would take that for no body at all."""
        if "HTTP_TRANSFER_ENCODING" in request.META:
            request.META.setdefault("CONTENT_LENGTH", UNKNOWN_LENGTH)
        return super().initialize_request(request, *args, **kwargs)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """A conversation stays out of caches, the browser's own included."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(answer, no_store=True, private=True)
        return answer

    @property
    def user(self) -> User:
        """Who asks; the permission classes let nobody else through."""
        user = self.request.user
        assert isinstance(user, User)
        return user

    def session(self, session_id: int) -> Session:
        """The user's session. Raises Http404, or PermissionDenied if it is someone else's."""
        return selectors.session(user=self.user, session_id=session_id)

    def valid(self, kind: type[S]) -> dict[str, Any]:
        """The request's body by columns. Raises ValidationError."""
        given = kind(data=self.request.data, context={"request": self.request})
        given.is_valid(raise_exception=True)
        values: dict[str, Any] = given.validated_data
        return values
