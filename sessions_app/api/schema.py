"""`/v1/schema` and `/v1/docs`: the API describes itself."""

from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import IsAuthenticated


class Schema(SpectacularAPIView):
    """The OpenAPI document: JSON, or YAML where that is asked for."""

    permission_classes = [IsAuthenticated]
    renderer_classes = [
        OpenApiJsonRenderer2,
        OpenApiJsonRenderer,
        OpenApiYamlRenderer,
        OpenApiYamlRenderer2,
    ]


class Docs(SpectacularSwaggerSplitView):
    """The schema as a page. Its script is a request of its own, because the page allows no inline
    script.
    """

    permission_classes = [IsAuthenticated]
    template_name = "rest/docs.html"
