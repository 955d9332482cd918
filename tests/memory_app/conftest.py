"""What the tests of memories share: the owner's client, and a way to remember."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from memory_app import services
from memory_app.models import MemoryItem
from tests.sessions_app.rest import Rest, signed_in

Remember = Callable[..., MemoryItem]


@pytest.fixture
def api(owner: User) -> Rest:
    """The owner's client."""
    return signed_in(owner)


@pytest.fixture
def remember(owner: User) -> Remember:
    """Keep a memory of the owner, or of `of`; with `project` it is that project's."""

    def keep(content: str, *, project: str = "", of: User | None = None) -> MemoryItem:
        item, _ = services.memory_create(
            owner_id=(of or owner).pk,
            content=content,
            scope="PROJECT" if project else "USER",
            project_key=project,
        )
        return item

    return keep


@pytest.fixture
def propose(owner: User) -> Remember:
    """Let an agent propose a memory to the owner."""

    def write(content: str) -> MemoryItem:
        item, _ = services.memory_propose(
            owner_id=owner.pk,
            content=content,
            scope="USER",
            project_key="",
            session_id=7,
            message_id=31,
        )
        return item

    return write
