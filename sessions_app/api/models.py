"""`/v1/models`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import selectors
from sessions_app.api.openapi import SIGNED_IN
from sessions_app.api.view import View
from sessions_app.models import ModelProfile
from sessions_app.serializers import ModelPageSerializer, ModelProfileSerializer


class ModelList(View):
    """The models that sessions may use."""

    @extend_schema(operation_id="models_list", responses={200: ModelPageSerializer, **SIGNED_IN})
    def get(self, _: Request) -> Response:
        """All models by name, on one page.

        `offered` says which can be used now, `default` which one new sessions get.
        """
        offered = selectors.offered_models()
        default = selectors.default_model(offered)
        context = {
            "offered": {row.pk for row in offered},
            "default": default.pk if default else None,
        }
        rows = ModelProfileSerializer(ModelProfile.objects.all(), many=True, context=context).data
        return Response({"results": rows, "next": None})
