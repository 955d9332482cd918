"""What dies with SQLite below it dies as well with MariaDB: at every third place."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kill.deaths import check, die_everywhere
from tests.kill.processes import Zygote, zygote

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


@pytest.fixture
def one(mariadb_url: str, tmp_path: Path) -> Iterator[Zygote]:
    with zygote(tmp_path, DATABASE_URL=mariadb_url) as found:
        yield found


@pytest.mark.parametrize("scenario", ["two_rounds", "by_hand"])
def test_it_survives_a_death_at_every_third_place(one: Zygote, scenario: str) -> None:
    deaths = die_everywhere([one], scenario, first="before a transaction", step=3)
    assert len(deaths) >= 9
    for death in deaths:
        check(death)
