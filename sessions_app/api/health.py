"""`/healthz`: whether this process can do its work."""

import asyncio
import logging

from asgiref.sync import async_to_sync
from channels.exceptions import ChannelFull
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app.serializers import HealthSerializer

LAYER_TIMEOUT_S = 2

log = logging.getLogger(__name__)


class Health(APIView):
    """Liveness, for everyone; says what failed, not why."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    @extend_schema(
        operation_id="health", auth=[], responses={200: HealthSerializer, 503: HealthSerializer}
    )
    def get(self, _: Request) -> Response:
        """`ok`, or 503 when the database or the channel layer does not answer."""
        found = {"database": _database_answers(), "channelLayer": _layer_answers()}
        well = all(found.values())
        data = {"status": _word(well), **{name: _word(fine) for name, fine in found.items()}}
        unwell = status.HTTP_503_SERVICE_UNAVAILABLE
        return Response(data, status=status.HTTP_200_OK if well else unwell)


def _word(well: bool) -> str:  # noqa: FBT001 - it is all that it takes
    return "ok" if well else "failed"


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        log.exception("the database does not answer")
        return False
    return True


def _layer_answers() -> bool:
    """A message to a group without members, which a layer must still carry to its server."""
    try:
        async_to_sync(_send)()
    except _layer_errors():
        log.exception("the channel layer does not answer")
        return False
    return True


def _layer_errors() -> tuple[type[Exception], ...]:
    errors = (ChannelFull, OSError, TimeoutError)
    if not settings.REDIS_URL:
        return errors
    from redis.exceptions import RedisError  # noqa: PLC0415 - slow to load, and for this layer only

    return (*errors, RedisError)


async def _send() -> None:
    layer = get_channel_layer()
    assert layer is not None  # the settings always name one
    async with asyncio.timeout(LAYER_TIMEOUT_S):
        await layer.group_send("healthz", {"type": "healthz"})
