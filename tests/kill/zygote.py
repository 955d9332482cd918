"""A process that has everything loaded and forks others, which may die.

    python -m tests.kill.zygote        commands and answers are lines of JSON

`{"start": NAME, "at": N, "signal": S, "arguments": {...}}` forks a process that calls the function
NAME of `scenarios.py` and gets signal S at its N-th place (0: at none); the answer is its pid.
`{"wait": PID}` waits until it has ended or is stopped: `{"signal", "stopped", "told", "points"}`,
where `told` is what it told before, and `points` the places it reached when it got to its end.
The zygote itself has no thread and no database connection, so that forking is safe.
"""

import gc
import json
import logging
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, TextIO

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()

from django.conf import settings  # noqa: E402 - needs the environment
from django.core.management import call_command  # noqa: E402

from agent.tokens import TokenEstimator  # noqa: E402
from tests.kill import points, scenarios  # noqa: E402 - needs the apps

TOO_LONG_S = 60  # a process that hangs gets SIGALRM, which nobody expects


def told_file(pid: int) -> Path:
    """Where a process leaves what it tells."""
    folder: Path = settings.VAR / "told"
    folder.mkdir(exist_ok=True)
    return folder / str(pid)


def start(command: dict[str, Any]) -> int:
    """Fork; the child never returns from here."""
    pid = os.fork()
    if pid:
        return pid
    signal.alarm(TOO_LONG_S)
    try:
        with told_file(os.getpid()).open("a") as file:
            tell(file, scenarios.call(command, lambda value: tell(file, value)))
            tell(file, points.POINTS.names)
    except BaseException:  # noqa: BLE001 - the child must not go on as a second zygote
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def tell(file: TextIO, value: Any) -> None:
    """One line, written at once."""
    file.write(json.dumps(value) + "\n")
    file.flush()


def wait(pid: int) -> dict[str, Any]:
    """How it ended."""
    status = os.waitpid(pid, os.WUNTRACED)[1]
    path = told_file(pid)
    told = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    stopped = os.WIFSTOPPED(status)
    code = 0 if stopped else os.waitstatus_to_exitcode(status)
    reached = told.pop() if code == 0 and not stopped else []
    return {"code": code, "stopped": stopped, "told": told, "points": reached}


def prepare() -> None:
    """The tables, in a process of their own."""
    pid = os.fork()
    if not pid:
        call_command("migrate", verbosity=0)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def main() -> None:
    """Answer commands until the input ends."""
    logging.disable(logging.WARNING)  # runs that lost their claim say so; that is expected
    prepare()
    TokenEstimator().text("loaded before the first fork")
    points.watch()
    gc.collect()
    gc.freeze()  # else each process's first collection copies all that it shares with this one
    tell(sys.stdout, "ready")
    for line in sys.stdin:
        command = json.loads(line)
        answer = start(command) if "start" in command else wait(command["wait"])
        tell(sys.stdout, answer)


if __name__ == "__main__":
    main()
