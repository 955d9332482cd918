"""The list of mutants fits the code as it is; `make mutations` shows that each is caught."""

import pytest

from tests.mutant import Mutant
from tests.mutants import MUTANTS
from tests.source_tree import BASE


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_it_changes_one_place_and_its_test_exists(mutant: Mutant) -> None:
    assert (BASE / mutant.path).read_text().count(mutant.old) == 1
    assert mutant.old != mutant.new
    assert (BASE / mutant.test).is_file()


def test_each_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 16
