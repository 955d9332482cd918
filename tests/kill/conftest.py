"""Two zygotes, each with a database of its own."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.kill.processes import Zygote, zygote


@pytest.fixture(scope="session")
def zygotes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Zygote]]:
    with ExitStack() as stack:
        folders: list[Path] = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
        yield [stack.enter_context(zygote(folder)) for folder in folders]


@pytest.fixture
def one(zygotes: list[Zygote]) -> Zygote:
    return zygotes[0]
