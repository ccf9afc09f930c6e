"""A process in which operator and worker are imported already, and that forks them: `python -m benchmarks.sweep.nursery`.

Why: they are real processes and die by SIGKILL, but a start costs milliseconds instead of two seconds of importing; a life has a dozen.
Called by: bench, which tells it on its standard input what to start and asks who lives; it ends, with all of them, when that closes.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Nursery:
    process: "subprocess.Popen[str]"
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, kubeconfig: Path, log: Path) -> "Nursery":
        """The Kubernetes client reads where its configuration is when it is imported."""
        words = [sys.executable, "-m", "benchmarks.sweep.nursery"]
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with log.open("ab") as told:
            return cls(subprocess.Popen(words, **pipes, stderr=told, cwd=ROOT, env=environment, start_new_session=True))

    def start(self, entry: str, told: Mapping[str, Any], log: Path) -> int:
        pid: int = self.ask({"start": entry, "told": told, "log": str(log)})
        return pid

    def lives(self, pid: int) -> bool:
        """Until it was said to be dead, nobody else has its number."""
        alive: bool = self.ask({"lives": pid})
        return alive

    def kill(self, pid: int, number: int = signal.SIGKILL) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def ask(self, words: Mapping[str, Any]) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        with self.lock:
            self.process.stdin.write(json.dumps(words) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline() or "null")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


# ---- in the process itself


def main() -> None:
    from benchmarks.sweep import entries  # noqa: PLC0415  (only here, and only once)

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is printed is no answer
    living: set[int] = set()
    for line in sys.stdin:
        asked = json.loads(line)
        answers.write(json.dumps(answer(asked, living, entries.ENTRIES)) + "\n")
        answers.flush()
    for pid in living:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def answer(asked: Mapping[str, Any], living: set[int], known: Mapping[str, Any]) -> object:
    if "start" in asked:
        pid = forked(known[asked["start"]], asked["told"], asked["log"])
        living.add(pid)
        return pid
    return lives(asked["lives"], living)


def lives(pid: int, living: set[int]) -> bool:
    if pid not in living:
        return False
    gone, _ = os.waitpid(pid, os.WNOHANG)
    living.discard(gone)
    return not gone


def forked(entry: Any, told: Mapping[str, Any], log: str) -> int:
    if pid := os.fork():
        return pid
    status = 1
    try:
        begin(log)
        entry(told)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        raise
    finally:
        sys.stderr.flush()
        os._exit(status)


def begin(log: str) -> None:
    """With nothing of its parent's but what is imported."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for number in (1, 2):
        os.dup2(descriptor, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.closerange(3, min(1 << 16, os.sysconf("SC_OPEN_MAX")))


if __name__ == "__main__":
    main()
