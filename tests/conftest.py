"""The cast and the places that most tests share."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.management import create_contenttypes
from django.contrib.contenttypes.models import ContentType
from django.db.models.signals import post_migrate  # noqa: TID251 - to hold back those of Django
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings
from xdist.scheduler import LoadFileScheduling

from sessions_app import compactions, run_loop, runs
from sessions_app.models import Claim, ModelProfile, Session

# What a property costs is measured in benchmarks/: a busy machine is no reason to fail.
hypothesis_settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("untimed")

pytest_plugins = ["tests.wire.fixture"]

# Begun first, so that no worker is left with one at the end.
LONG = ("tests/services", "tests/kill", "tests/browser")
EXECUTIONS = {runs.execute.__qualname__, compactions.execute.__qualname__}
ENDS_WITHIN_S = 30
SHARING = ("tests/services", "tests/kill")
FIRST_MODELS = ("rehearsal", "openai", "anthropic")


class Together(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    """Hands a file to one worker, and all files that share costly servers to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        return next((folder for folder in SHARING if nodeid.startswith(folder)), "") or str(
            super()._split_scope(nodeid)
        )


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    """For `--dist=loadfile`, which is what scripts/test asks for."""
    return Together(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders whose files take long come first; the order within is that of pytest-randomly."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """After the tables are made nobody writes 130 permissions and content types again.

    Django does so after each test with a real database, which takes longer than most tests do.
    """
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture(autouse=True)
def _workspaces(settings: Settings, tmp_path: Path) -> None:
    settings.WORKSPACE_ROOTS = [tmp_path / "workspaces"]
    settings.WORKSPACE_ROOTS[0].mkdir()
    settings.SWEEP_INTERVAL_S = 0  # tests sweep when they say so
    settings.WHITENOISE_AUTOREFRESH = True  # else each test client looks through all static files
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _english() -> None:
    """A request of an earlier test has left its language to this thread."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def _first_models(request: pytest.FixtureRequest, _django_db_helper: None) -> None:
    """The models of the migration, which an earlier test with a real database has flushed.

    So it has the content types, of which Django keeps the ids.
    """
    ContentType.objects.clear_cache()
    uses_database = {"db", "transactional_db"} & set(request.fixturenames)
    if uses_database or request.node.get_closest_marker("django_db"):
        if ModelProfile.objects.filter(name__in=FIRST_MODELS).count() == len(FIRST_MODELS):
            return
        for name in FIRST_MODELS:
            key = "" if name == "rehearsal" else f"{name.upper()}_API_KEY"
            defaults = {"provider": name, "key_variable": key, "from_environment": True}
            if name == "rehearsal":
                defaults["model_id"] = name
            ModelProfile.objects.get_or_create(name=name, defaults=defaults)


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("owner", password="owner-password")


@pytest.fixture
def stranger(db: None) -> User:
    return User.objects.create_user("stranger", password="stranger-password")


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_superuser("staff", password="staff-password")


@pytest.fixture
def model(db: None) -> ModelProfile:
    return ModelProfile.objects.update_or_create(
        name="rehearsal",
        defaults={"provider": "rehearsal", "model_id": "rehearsal", "window_tokens": 128_000},
    )[0]


@pytest.fixture
def make_session(owner: User, model: ModelProfile, settings: Settings) -> Callable[..., Session]:
    """Make a session (of `owner` unless said otherwise) with its claim and an empty workspace."""

    def make(**fields: Any) -> Session:
        workspace = settings.WORKSPACE_ROOTS[0] / f"w{Session.objects.count()}"
        workspace.mkdir(exist_ok=True)
        defaults = {"owner": owner, "model": model, "workspace": str(workspace), "title": "Test"}
        session = Session.objects.create(**{**defaults, **fields})
        Claim.objects.create(session=session)
        return session

    return make


@pytest.fixture
def session(make_session: Callable[..., Session]) -> Session:
    return make_session()


@pytest.fixture
def runs_end(transactional_db: None) -> Iterator[None]:
    """For tests that start runs: a real database, which no run uses and no thread keeps a
    connection to afterwards.
    """
    yield
    end = time.monotonic() + ENDS_WITHIN_S
    while left := _executions():
        assert time.monotonic() < end, f"the test left behind: {left}"
        time.sleep(0.01)
    run_loop.close_connections()


def _executions() -> list[Any]:
    """The runs and compactions of this process that are under way."""
    loop = run_loop.start()
    return [task for task in asyncio.all_tasks(loop) if _name(task) in EXECUTIONS]


def _name(task: "asyncio.Task[Any]") -> str:
    return str(getattr(task.get_coro(), "__qualname__", ""))
