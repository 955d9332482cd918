"""The one table from error codes to HTTP statuses, and the shape of every error answer.

400 is `{field: [messages]}`; everything else is `{"code", "detail"}`, with `executionId` where
another execution is in the way.
"""

import logging
from collections.abc import Mapping
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from rest_framework import views
from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.response import Response

from agent.errors import AgentError, SessionAlreadyRunning

STATUS = {
    "agent_error": 500,
    "claim_lost": 409,
    "configuration_error": 503,
    "context_overflow": 409,
    "event_id_reused": 409,
    "model_error": 502,
    "model_output_invalid": 502,
    "model_unavailable": 503,
    "nothing_gained": 409,
    "nothing_to_undo": 409,
    "output_budget_overflow": 409,
    "payload_too_large": 409,
    "quota_exceeded": 502,
    "round_limit": 409,
    "session_already_running": 409,
    "tool_error": 500,
}
UNNAMED = "error"
UNAVAILABLE = {
    "code": "database_unavailable",
    "detail": "The database does not answer or is locked; nothing was changed. Try again.",
}

log = logging.getLogger(__name__)


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The answer to an error that a view raised; None = nobody's mistake but ours, a plain 500."""
    if isinstance(error, OperationalError):
        log.error("the database does not answer", exc_info=error)
        views.set_rollback()
        return Response(UNAVAILABLE, status=503)
    if isinstance(error, AgentError):
        views.set_rollback()
        return Response(_agent_error(error), status=STATUS[error.code])
    response = views.exception_handler(error, dict(context))
    if response is None or isinstance(error, ValidationError):
        return response
    detail = response.data.get("detail") if isinstance(response.data, dict) else response.data
    response.data = {"code": _code(error, detail), "detail": str(detail)}
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer where no route leads: JSON below /v1, the site's page elsewhere."""
    if not request.path.startswith("/v1/"):
        return defaults.page_not_found(request, exception)
    data = {"code": "not_found", "detail": f"There is nothing at {request.path}."}
    return JsonResponse(data, status=404)


def _agent_error(error: AgentError) -> dict[str, Any]:
    data: dict[str, Any] = {"code": error.code, "detail": error.user_message}
    if isinstance(error, SessionAlreadyRunning):
        data["executionId"] = error.execution_id
    return data


def _code(error: Exception, detail: Any) -> str:
    """DRF's own code of the error, also where Django's Http404 or PermissionDenied was turned into
    one.
    """
    if isinstance(detail, ErrorDetail):
        return detail.code or UNNAMED
    return error.default_code if isinstance(error, APIException) else UNNAMED
