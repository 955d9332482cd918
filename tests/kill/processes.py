"""The tests' side: a zygote per database, and the processes that it forks."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

LOG = "zygote.log"


@dataclass(frozen=True)
class End:
    """How a process ended: `code` like a shell's, negative for a signal.

    `told` is what its function gave back, None if it did not get so far; `points` names the places
    that it reached, if it got to its end.
    """

    session: int
    code: int
    stopped: bool
    told: Any
    points: list[str]


class Zygote:
    """Forks processes that share one database and one `var` folder."""

    def __init__(self, process: "subprocess.Popen[str]", var: Path) -> None:
        self.var = var
        self._process = process
        self._log = var / LOG

    def start(
        self, name: str, *, at: int = 0, number: int = signal.SIGKILL, **arguments: Any
    ) -> int:
        """Fork a process for a function of `scenarios.py`; its pid."""
        command = {"start": name, "at": at, "signal": int(number), "arguments": arguments}
        return int(self._ask(command))

    def wait(self, pid: int) -> End:
        """Wait until it ended or stopped."""
        answer = self._ask({"wait": pid})
        assert answer["code"] in {0, -signal.SIGKILL}, f"{answer}\n{self._log.read_text()[-4_000:]}"
        session, *told = answer["told"] or [0]
        return End(
            session=session,
            code=answer["code"],
            stopped=answer["stopped"],
            told=told[0] if told else None,
            points=answer["points"],
        )

    def run(self, name: str, *, at: int = 0, **arguments: Any) -> End:
        """Fork and wait."""
        return self.wait(self.start(name, at=at, **arguments))

    def session_of(self, pid: int) -> int:
        """The session of a process that still lives."""
        lines = (self.var / "told" / str(pid)).read_text().splitlines()
        return int(json.loads(lines[0]))

    def _ask(self, command: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the zygote ended:\n{self._log.read_text()[-4_000:]}"
        return json.loads(line)


@contextmanager
def zygote(var: Path, **environment: str) -> Iterator[Zygote]:
    """A zygote with this `var` folder, on SQLite unless the environment says otherwise."""
    var.mkdir(exist_ok=True)
    given = {"PATH": os.environ["PATH"], "VAR_DIR": str(var), **environment}
    given["TIKTOKEN_CACHE_DIR"] = os.environ["TIKTOKEN_CACHE_DIR"]
    log = var / LOG
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.kill.zygote"],
            cwd=settings.BASE_DIR,
            env=given,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert json.loads(ready or "null") == "ready", log.read_text()[-4_000:]
        yield Zygote(process, var)
        assert process.stdin is not None
        process.stdin.close()
