"""Trials handed out to jobs that run at the same time; each row is kept as it comes, and how long it will take is told.

Called by: __main__.
"""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.sweep.job import UNDISTURBED
from benchmarks.sweep.journal import ROOT, Journal, Row
from benchmarks.sweep.points import Trial

S_PER_MINUTE = 60
ENDS_WITHIN_S = 20.0


class CannotSweep(Exception):
    """The undisturbed life did not come to its end, or not twice to the same; why."""


@dataclass(slots=True)
class Job:
    process: "subprocess.Popen[str]"

    @classmethod
    def open(cls, number: int, golden: Path) -> "Job":
        words = [sys.executable, "-m", "benchmarks.sweep.job", str(number), str(golden)]
        return cls(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT))

    def live(self, trial: str) -> Row:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{trial}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise CannotSweep(f"the job has ended in the midst of {trial}; what it said stands above")
        row: Row = json.loads(line)
        return row

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()


@contextmanager
def opened(number: int, golden: Path) -> Iterator[Job]:
    job = Job.open(number, golden)
    try:
        yield job
    finally:
        job.close()


def golden_of(journal: Journal) -> Row:
    """Known, or lived now: once to know, and once to see that a life of which nobody dies agrees with it."""
    if (known := journal.golden()) is not None:
        return known
    for path, what in ((journal.folder / "none", "undisturbed life"), (journal.golden_path, "second undisturbed life")):
        with opened(0, path) as job:
            row = job.live(UNDISTURBED)
        if row["verdict"] != "passed":
            journal.golden_path.unlink(missing_ok=True)
            raise CannotSweep(f"the {what} did not come to its end: {'; '.join(row['wrong'])}")
        say(f"the {what} took {row['took_s']} s: {json.dumps(row['counts'])}")
        if what == "undisturbed life":
            journal.keep_golden(row)
    found = journal.golden()
    assert found is not None, "it was just kept"
    return found


@dataclass(slots=True)
class Campaign:
    journal: Journal
    jobs: int
    limit_s: float  # no life begins after that
    began_s: float = field(default_factory=time.monotonic)
    done: int = 0
    failed: int = 0
    running: list[Job] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, trials: Sequence[Trial]) -> None:
        left: queue.SimpleQueue[Trial] = queue.SimpleQueue()
        for one in trials:
            left.put(one)
        rows: queue.SimpleQueue[Row | None] = queue.SimpleQueue()
        threads = [threading.Thread(target=self.work, args=(number, left, rows), daemon=True) for number in range(1, self.jobs + 1)]
        for thread in threads:
            thread.start()
        try:
            self.keep(rows, len(trials))
        except KeyboardInterrupt:
            self.stopped.set()
            for job in self.running:
                job.process.terminate()
            raise
        finally:
            for thread in threads:
                thread.join(ENDS_WITHIN_S)

    def work(self, number: int, left: "queue.SimpleQueue[Trial]", rows: "queue.SimpleQueue[Row | None]") -> None:
        try:
            with opened(number, self.journal.golden_path) as job:
                self.running.append(job)
                while not self.is_over():
                    rows.put(job.live(str(left.get_nowait())))
        except queue.Empty:
            pass
        except (CannotSweep, OSError) as why:
            if not self.stopped.is_set():
                self.failed += 1
                say(str(why))
        finally:
            rows.put(None)

    def is_over(self) -> bool:
        return self.stopped.is_set() or time.monotonic() - self.began_s > self.limit_s

    def keep(self, rows: "queue.SimpleQueue[Row | None]", count: int) -> None:
        working = self.jobs
        while working:
            row = rows.get()
            if row is None:
                working -= 1
                continue
            self.journal.add(row)
            self.done += 1
            self.failed += row["verdict"] == "failed"
            self.tell(row, count)

    def tell(self, row: Row, count: int) -> None:
        spent_s = time.monotonic() - self.began_s
        left_min = spent_s / self.done * (count - self.done) / S_PER_MINUTE
        say(f"{self.done} of {count}, {self.failed} failed, {left_min:.0f} min to go: {row['trial']} {row['verdict']} ({row['took_s']} s)")
        for wrong in row["wrong"]:
            say(f"  {wrong}")
        if row["verdict"] == "failed":
            say(f"  again: make sweep ARGS='--point {row['trial']}'")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
