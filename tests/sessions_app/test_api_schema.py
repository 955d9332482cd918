import re
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command

from sessions_app.models import Session
from tests.sessions_app.rest import Rest


@pytest.fixture
def schema(api: Rest) -> dict[str, Any]:
    answer: dict[str, Any] = api.get("/v1/schema").json()
    return answer


def test_it_is_valid_and_without_a_warning() -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, file="/dev/null")


def test_it_names_every_operation_of_the_protocol(schema: dict[str, Any]) -> None:
    operations = {(path, method) for path, entry in schema["paths"].items() for method in entry}
    session = "/v1/sessions/{session_id}"
    assert operations >= {
        ("/v1/sessions", "get"),
        ("/v1/sessions", "post"),
        (session, "get"),
        (session, "patch"),
        (session, "delete"),
        (f"{session}/messages", "get"),
        (f"{session}/messages", "post"),
        (f"{session}/messages/{{message_id}}/output", "get"),
        (f"{session}/cancel", "post"),
        (f"{session}/compact", "post"),
        (f"{session}/compaction", "get"),
        (f"{session}/compaction/undo", "post"),
        (f"{session}/compactions", "get"),
        (f"{session}/context", "get"),
        (f"{session}/requests", "get"),
        (f"{session}/requests/{{request_id}}", "get"),
        ("/v1/models", "get"),
        ("/healthz", "get"),
    }


def test_it_documents_the_fields_that_are_sent(
    api: Rest, session: Session, schema: dict[str, Any]
) -> None:
    shapes = schema["components"]["schemas"]
    shown = api.get(f"/v1/sessions/{session.pk}").json()
    assert list(shapes["Session"]["properties"]) == list(shown)
    model = api.get("/v1/models").json()["results"][0]
    assert list(shapes["ModelProfile"]["properties"]) == list(model)


def test_it_says_what_an_input_holds_to(schema: dict[str, Any]) -> None:
    shapes = schema["components"]["schemas"]
    assert shapes["MessageInput"]["additionalProperties"] is False
    assert shapes["MessageInput"]["required"] == ["content"]
    assert shapes["SessionInput"]["properties"]["model"]["minLength"] == 1
    assert "minLength" not in shapes["SessionInput"]["properties"]["title"]
    assert shapes["CompactInput"]["properties"]["instructions"]["maxLength"] == 2_000
    assert shapes["Context"]["nullable"] is shapes["Compaction"]["nullable"] is True


def test_it_comes_as_yaml_too(api: Rest) -> None:
    answer = api.get("/v1/schema", headers={"accept": "application/yaml"})
    assert answer.content.startswith(b"openapi: 3.")


def test_it_has_a_page_without_anything_inline(api: Rest) -> None:
    page = api.get("/v1/docs").content.decode()
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert [body for _, body in scripts] == ["", ""]
    assert "<style" not in page
    assert "style=" not in page
    for path in re.findall(r'(?:src|href)="/static/([^"]+)"', page):
        assert finders.find(path)


def test_its_page_brings_a_script_of_its_own(api: Rest) -> None:
    page = api.get("/v1/docs").content.decode()
    answer = api.get(re.findall(r'src="(/v1/docs[^"]*)"', page)[0])
    assert answer["Content-Type"].startswith("application/javascript")
    assert b'url: "/v1/schema"' in answer.content
