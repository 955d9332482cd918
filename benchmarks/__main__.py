"""`make bench`: every figure in one table, each benchmark in a process of its own."""

import json
import subprocess
import sys

from benchmarks.figures import Figure, table

PARTS = ("context", "peers", "compaction", "stream", "idle", "start", "page", "browser")


def measured(part: str) -> list[Figure]:
    """What `benchmarks/bench_<part>.py` measured; a line that says so where it broke down."""
    command = [sys.executable, "-m", f"benchmarks.bench_{part}", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return [Figure(f"bench_{part}", "runs", f"ended with {done.returncode}", reached=False)]
    return [Figure(**json.loads(line)) for line in done.stdout.splitlines()]


def main() -> int:
    """The exit code: 1 if a goal was missed."""
    found: list[Figure] = []
    for number, part in enumerate(sys.argv[1:] or PARTS, 1):
        print(f"bench: {part} ({number} of {len(sys.argv[1:] or PARTS)})", file=sys.stderr)
        found += measured(part)
    print(table(found))
    return int(any(figure.reached is False for figure in found))


if __name__ == "__main__":
    sys.exit(main())
