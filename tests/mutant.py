"""What a small wrong change is."""

from dataclasses import dataclass

UNIT = "tests/compaction_app/"
WIRE = "tests/sessions_app/"


@dataclass(frozen=True, slots=True)
class Mutant:
    """`old`, exactly once in the file, becomes `new`; then a test of the file `test` fails."""

    name: str
    path: str
    old: str
    new: str
    test: str
