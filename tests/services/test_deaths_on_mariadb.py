"""What holds on SQLite when processes die, are stopped, or compete, holds on MariaDB."""

from collections.abc import Iterator

import pytest

from tests.kill.deaths import check, die_everywhere
from tests.kill.processes import Zygote, zygote
from tests.kill.test_late_owners import test_it_writes_nothing_any_more  # noqa: F401 - runs here
from tests.kill.test_rivals import (  # noqa: F401 - run here as well, with the `one` below
    test_a_message_and_a_click_come_one_after_the_other,
    test_of_two_messages_one_is_refused_and_not_saved,
    test_one_event_from_two_processes_is_one_run,
    test_two_clicks_are_one_compaction,
)

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def one(mariadb_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    with zygote(tmp_path_factory.mktemp("mariadb"), DATABASE_URL=mariadb_url) as found:
        yield found


@pytest.mark.parametrize("scenario", ["two_rounds", "by_hand"])
def test_it_survives_a_death_at_every_third_place(one: Zygote, scenario: str) -> None:
    deaths = die_everywhere([one], scenario, first="before a transaction", step=3)
    assert len(deaths) >= 9
    for death in deaths:
        check(death)
