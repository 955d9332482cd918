"""CPU time of small pieces of work, and ratios taken inside one process and one round."""

import gc
import statistics
import time
from collections.abc import Callable

ROUNDS = 9
LEAST_S = 0.02  # of CPU time a sample; work that is shorter is repeated

Work = Callable[[], object]


def cpu_s(work: Work) -> float:
    """CPU seconds of one call, all threads of the process, repeated until it can be measured."""
    calls = 0
    started = time.process_time()
    while True:
        work()
        calls += 1
        spent = time.process_time() - started
        if spent >= LEAST_S:
            return spent / calls


def medians(*works: Work, rounds: int = ROUNDS) -> list[float]:
    """Median CPU seconds of each, measured in turns after one round to warm up."""
    samples = _samples(works, rounds)
    return [statistics.median(column) for column in zip(*samples, strict=True)]


def ratio(work: Work, reference: Work, *, rounds: int = ROUNDS) -> float:
    """Median over the rounds of work / reference, each pair measured one right after the other."""
    return statistics.median(a / b for a, b in _samples((work, reference), rounds))


def _samples(works: tuple[Work, ...], rounds: int) -> list[list[float]]:
    for work in works:
        work()
    gc.collect()
    gc.disable()
    try:
        return [[cpu_s(work) for work in works] for _ in range(rounds)]
    finally:
        gc.enable()
