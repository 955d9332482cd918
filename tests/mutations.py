"""Shows that the tests notice: makes small wrong changes to a copy of the code, one at a time.

    python -m tests.mutations [WORD...]      only the mutants with all these words in their name

Each change must apply exactly once, and a test of the file named for it must then fail; all pass
on the unchanged copy, which is looked at first. Ends with 1 when a mutant survives.
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

from tests.mutant import Mutant
from tests.mutants import MUTANTS

BASE = Path(__file__).parent.parent
WORKERS = 2
LONGEST_S = 300  # a mutant that hangs is noticed too
PASSED, FAILED = 0, 1  # pytest's exit codes; any other one proves nothing


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def copy_to(folder: Path) -> None:
    """What is or will be in the repository, as a repository of its own."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    output = subprocess.run(listing, cwd=BASE, check=True, capture_output=True, text=True).stdout
    for name in filter(None, output.split("\0")):
        if (BASE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(BASE / name, folder / name)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)


def run_tests(folder: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Pytest's exit code and the end of what it said, up to the first failure."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return FAILED, "it hung"
    return done.returncode, "\n".join(done.stdout.strip().splitlines()[-15:])


@contextmanager
def mutated(folder: Path, mutant: Mutant) -> Iterator[None]:
    """The change, for as long as the block lasts. Raises ValueError when it does not apply once."""
    path = folder / mutant.path
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1 or mutant.old == mutant.new:
        found = text.count(mutant.old)
        raise ValueError(f"{mutant.name!r}: {mutant.old!r} stands {found} times in {mutant.path}")
    _write(path, text.replace(mutant.old, mutant.new))
    try:
        yield
    finally:
        _write(path, text)


def _write(path: Path, text: str) -> None:
    """With the compiled file removed: one of the same second and size would be taken for fresh."""
    path.write_text(text, encoding="utf-8")
    if path.suffix == ".py":
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def verdict(folders: "Queue[Path]", mutant: Mutant) -> str:
    """`caught`, or what happened instead."""
    folder, began = folders.get(), time.monotonic()
    try:
        with mutated(folder, mutant):
            code, output = run_tests(folder, [mutant.test])
    except ValueError as problem:
        code, output = -1, str(problem)
    finally:
        folders.put(folder)
    word = {PASSED: "SURVIVED", FAILED: "caught"}.get(code, "BROKEN")
    say(f"{word:9} {time.monotonic() - began:5.1f} s  {mutant.name}")
    if word == "BROKEN":
        say(output)
    return word


def check(mutants: list[Mutant], base: Path) -> bool:
    """Whether all are caught, and nothing fails without them."""
    folders: Queue[Path] = Queue()
    for number in range(WORKERS):
        (base / str(number)).mkdir()
        copy_to(base / str(number))
        folders.put(base / str(number))
    code, output = run_tests(base / "0", sorted({mutant.test for mutant in mutants}))
    if code != PASSED:
        say(f"The tests fail on the unchanged code:\n{output}")
        return False
    with ThreadPoolExecutor(WORKERS) as pool:
        words = list(pool.map(lambda mutant: verdict(folders, mutant), mutants))
    say(f"{words.count('caught')} of {len(mutants)} mutants caught.")
    return words.count("caught") == len(mutants)


def main() -> int:
    chosen = [m for m in MUTANTS if all(word in m.name for word in sys.argv[1:])]
    if not chosen:
        say(f"No mutant has {' and '.join(sys.argv[1:])!r} in its name.")
        return 1
    with tempfile.TemporaryDirectory(prefix="mutants_") as base:
        return 0 if check(chosen, Path(base)) else 1


if __name__ == "__main__":
    sys.exit(main())
