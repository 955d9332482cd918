import pytest
from django.test import Client

STYLES = "/static/sessions_app/base.css"
MEDIA_TYPES = {
    "base.css": 'text/css; charset="utf-8"',
    "session.js": 'text/javascript; charset="utf-8"',
    "favicon.svg": "image/svg+xml",
}


@pytest.mark.parametrize("name", MEDIA_TYPES)
def test_files_of_the_apps_are_served_as_they_are(client: Client, name: str) -> None:
    response = client.get(f"/static/sessions_app/{name}")
    assert (response.status_code, response.streaming) == (200, False)
    assert response.headers["content-type"] == MEDIA_TYPES[name]


def test_a_file_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    changed = client.get(STYLES).headers["last-modified"]
    response = client.get(STYLES, headers={"if-modified-since": changed})
    assert (response.status_code, response.content) == (304, b"")


def test_a_part_of_a_file_can_be_had(client: Client) -> None:
    whole = client.get(STYLES).content
    response = client.get(STYLES, headers={"range": "bytes=2-5"})
    assert (response.status_code, response.content) == (206, whole[2:6])


def test_other_files_are_not_there(client: Client, db: None) -> None:
    assert client.get("/static/../manage.py").status_code == 404
