from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from sessions_app.models import AgentProfile, Claim, ModelProfile, Session
from sessions_app.services.models import window_tokens
from sessions_app.shapes import time_text
from tests.sessions_app.rest import Rest

pytestmark = pytest.mark.storage

LIST = "/v1/sessions"


def test_it_creates_a_session_with_every_default(api: Rest, owner: User) -> None:
    answer = api.send("POST", LIST, {})
    session = owner.agent_sessions.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "id": session.pk,
        "title": "",
        "model": "rehearsal",
        "workspace": session.workspace,
        "workspaceKind": "LOCAL",
        "channel": "web",
        "projectKey": "",
        "permissionLevel": "READ_ONLY",
        "memoryInjectionDisabled": False,
        "language": "en",
        "timeZone": "UTC",
        "compactionTier": "standard",
        "phase": "IDLE",
        "contextTokens": None,
        "windowTokens": window_tokens(ModelProfile.objects.get(name="rehearsal")),
        "createdAt": time_text(session.created_at),
        "updatedAt": time_text(session.updated_at),
    }


def test_it_makes_the_claim_row_with_the_session(api: Rest) -> None:
    session_id = api.send("POST", LIST, {}).json()["id"]
    assert Claim.objects.get(session_id=session_id).execution_id == ""


def test_it_makes_a_private_workspace_folder(api: Rest, settings: Settings) -> None:
    folders = [Path(api.send("POST", LIST, {}).json()["workspace"]) for _ in range(2)]
    assert folders[0] != folders[1]
    for folder in folders:
        assert folder.parent == settings.WORKSPACE_ROOTS[0].resolve()
        assert folder.stat().st_mode & 0o777 == 0o700


def test_it_creates_a_session_as_it_was_told(api: Rest, settings: Settings) -> None:
    given = {
        "title": "Fix the meter",
        "model": "rehearsal",
        "workspaceKind": "CLOUD",
        "channel": "wechat",
        "projectKey": "vitrine",
        "permissionLevel": "FULL",
        "memoryInjectionDisabled": True,
        "language": "zh-hans",
        "timeZone": "Asia/Shanghai",
    }
    answer = api.send("POST", LIST, given).json()
    assert {name: answer[name] for name in given} == given


@pytest.mark.parametrize(
    ("accepts", "language"), [("zh-CN,zh;q=0.9", "zh-hans"), ("de", "en"), ("en-GB", "en")]
)
def test_it_takes_the_language_that_the_user_reads(api: Rest, accepts: str, language: str) -> None:
    answer = api.send("POST", LIST, {}, headers={"accept-language": accepts})
    assert answer.json()["language"] == language


def test_it_takes_the_configured_tier(api: Rest, settings: Settings) -> None:
    settings.COMPACTION_TIER = "heavy"
    assert api.send("POST", LIST, {}).json()["compactionTier"] == "heavy"


def test_it_accepts_a_folder_below_a_root_with_links_resolved(
    api: Rest, settings: Settings, tmp_path: Path
) -> None:
    folder = settings.WORKSPACE_ROOTS[0] / "repo"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    answer = api.send("POST", LIST, {"workspace": str(tmp_path / "link")})
    assert answer.json()["workspace"] == str(folder.resolve())


@pytest.mark.parametrize("workspace", ["/etc", "repo", "/no/such/folder", "{root}/../..", "/\0"])
def test_it_refuses_a_workspace_elsewhere_and_names_the_roots(
    api: Rest, settings: Settings, workspace: str
) -> None:
    root = str(settings.WORKSPACE_ROOTS[0].resolve())
    answer = api.send("POST", LIST, {"workspace": workspace.format(root=root)})
    assert answer.status_code == 400
    assert root in answer.json()["workspace"][0]


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"titel": "x"}, "titel", "Unknown field; allowed: title, model, workspace"),
        ({"phase": "RUNNING"}, "phase", "Unknown field; allowed: title, model, workspace"),
        ({"compactionTier": "heavy"}, "compactionTier", "Unknown field; allowed: title, model"),
        ({"title": 5}, "title", "5 is not a text; allowed: a JSON string."),
        ({"title": "x" * 201}, "title", "Too long; allowed: at most 200 characters."),
        ({"title": None}, "title", "This field may not be null."),
        ({"model": "gpt-9"}, "model", "'gpt-9' is not offered; allowed: rehearsal."),
        ({"model": "openai"}, "model", "'openai' is not offered; allowed: rehearsal."),
        ({"channel": "sms"}, "channel", "'sms' is not valid; allowed: web, embed, wechat."),
        ({"workspaceKind": []}, "workspaceKind", "[] is not valid; allowed: LOCAL, CLOUD."),
        (
            {"permissionLevel": "ROOT"},
            "permissionLevel",
            "'ROOT' is not valid; allowed: READ_ONLY, READ_WRITE, FULL.",
        ),
        (
            {"memoryInjectionDisabled": "false"},
            "memoryInjectionDisabled",
            "'false' is not valid; allowed: true, false.",
        ),
        ({"language": "de"}, "language", "'de' is not valid; allowed: en, zh-hans."),
        ({"timeZone": "Mars/Base"}, "timeZone", "'Mars/Base' is not a time zone; allowed: IANA"),
        ({"timeZone": "../etc/passwd"}, "timeZone", "'../etc/passwd' is not a time zone; allowed"),
    ],
)
def test_it_refuses_bad_values_by_name(
    api: Rest, given: dict[str, Any], field: str, message: str
) -> None:
    answer = api.send("POST", LIST, given)
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    assert answer.json()[field][0].startswith(message)
    assert not Session.objects.exists()


def test_it_leaves_no_folder_when_a_session_is_refused(api: Rest, settings: Settings) -> None:
    ModelProfile.objects.update(enabled=False)
    answer = api.send("POST", LIST, {})
    assert (answer.status_code, answer.json()["code"]) == (503, "configuration_error")
    assert list(settings.WORKSPACE_ROOTS[0].iterdir()) == []


def test_it_cleans_texts_of_what_no_database_takes(api: Rest) -> None:
    answer = api.raw("POST", LIST, '{"title": "a\\ud800b\\u0000c \\ud83d\\ude00"}')
    assert answer.json()["title"] == "a\ufffdb\u2400c \U0001f600"


def test_it_shows_one_session(api: Rest, session: Session) -> None:
    answer = api.get(f"/v1/sessions/{session.pk}")
    assert (answer.status_code, answer.json()["title"]) == (200, "Test")


def test_it_shows_a_session_whose_model_is_gone(api: Rest, session: Session) -> None:
    ModelProfile.objects.all().delete()
    assert api.get(f"/v1/sessions/{session.pk}").json()["model"] is None


@pytest.mark.parametrize("session_id", [999_999, 2**63, 10**40])
def test_it_answers_404_for_a_session_that_is_not_there(api: Rest, session_id: int) -> None:
    answer = api.get(f"/v1/sessions/{session_id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_it_changes_only_what_is_given_and_false_too(api: Rest, session: Session) -> None:
    path = f"/v1/sessions/{session.pk}"
    first = api.send("PATCH", path, {"memoryInjectionDisabled": True, "compactionTier": "light"})
    second = api.send("PATCH", path, {"memoryInjectionDisabled": False})
    assert first.json()["memoryInjectionDisabled"] is True
    assert second.json() == {
        **first.json(),
        "memoryInjectionDisabled": False,
        "updatedAt": second.json()["updatedAt"],
    }
    assert second.json()["updatedAt"] > first.json()["updatedAt"]


@pytest.mark.parametrize("field", ["phase", "id", "owner", "contextTokens", "createdAt"])
def test_it_refuses_to_change_what_is_not_the_users(
    api: Rest, session: Session, field: str
) -> None:
    answer = api.send("PATCH", f"/v1/sessions/{session.pk}", {field: 1})
    assert answer.status_code == 400
    assert answer.json()[field][0].startswith("Unknown field; allowed: title, model,")


def test_it_changes_nothing_beside_a_run_that_writes(api: Rest, session: Session) -> None:
    stale = Session.objects.get(pk=session.pk)
    Session.objects.filter(pk=session.pk).update(frame_seq=7, phase="RUNNING")
    api.send("PATCH", f"/v1/sessions/{stale.pk}", {"title": "New"})
    session.refresh_from_db()
    assert (session.title, session.frame_seq, session.phase) == ("New", 7, "RUNNING")


def test_it_voids_the_anchor_with_another_model(api: Rest, session: Session) -> None:
    ModelProfile.objects.create(name="small", provider="rehearsal", window_tokens=8_000)
    Session.objects.filter(pk=session.pk).update(anchor_tokens=900, anchor_message_id=4)
    answer = api.send("PATCH", f"/v1/sessions/{session.pk}", {"model": "small"})
    session.refresh_from_db()
    assert answer.json()["windowTokens"] == 8_000
    assert (session.anchor_tokens, session.anchor_message_id) == (None, None)


def test_it_deletes_a_session_and_its_rows(api: Rest, session: Session) -> None:
    session.messages.create(role="user", content="hello")
    answer = api.delete(f"/v1/sessions/{session.pk}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert not Session.objects.exists()
    assert Path(session.workspace).is_dir()


def test_it_refuses_to_delete_during_a_run(api: Rest, running: Session) -> None:
    answer = api.delete(f"/v1/sessions/{running.pk}")
    assert answer.status_code == 409
    assert answer.json() == {
        "code": "session_already_running",
        "detail": "The session is busy: another run or compaction is in progress.",
        "executionId": "e1",
    }


def test_it_gives_new_sessions_no_persona_of_its_own(api: Rest, owner: User) -> None:
    AgentProfile.objects.create(owner=owner, name="Mine", default=True)
    api.send("POST", LIST, {})
    assert owner.agent_sessions.get().agent_profile is None
