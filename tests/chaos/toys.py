"""A toy that runs as a process of its own, and experiments on it, as others.

Why: an experiment is judged from outside, as its user sees it: by its exit code, what it prints, its journal, and what
becomes of the topology.
Called by: the tests of chaos.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from levee.worlds.local import processes
from levee.worlds.local.folder import Folder
from levee.worlds.local.processes import Process
from levee.worlds.local.table import RunTable, read_table
from levee_chaos import actions
from levee_chaos.journal import Entry
from levee_chaos.keeping import Keeping
from levee_chaos.worlds.local.going_on import GO_ON
from levee_chaos.worlds.local.world import find
from tests.worlds.toy import delivered, expected

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "chaos" / "experiments"
FAILURE_TIMEOUT = "5s"  # a worker that a busy machine keeps waiting has not failed
PATIENCE_S = 300.0  # for something that must happen, however slow the machine
CHAOS = (sys.executable, "-m", "chaostoolkit")


def until(what: str, holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until_s, f"it never came about that {what}"
        time.sleep(0.1)


@dataclass(frozen=True)
class Ended:
    code: int
    told: str
    journal: Mapping[str, Any]

    @property
    def was_too_early(self) -> bool:
        """The steady state did not hold yet, so nothing was done."""
        before = self.journal["steady_states"]["before"]
        return before is not None and not before["steady_state_met"]

    def run(self, name: str) -> Mapping[str, Any]:
        runs: list[Mapping[str, Any]] = [*self.journal["run"], *self.journal["rollbacks"]]
        found = [one for one in runs if one["activity"]["name"] == name]
        assert len(found) == 1
        return found[0]


@dataclass(frozen=True)
class Toy:
    place: Path

    @property
    def directory(self) -> Path:
        return self.place / "run"

    @property
    def keeping(self) -> Keeping:
        return Keeping(self.directory)

    def table(self) -> RunTable:
        table = read_table(Folder(self.directory))
        assert table is not None
        return table

    def is_whole(self) -> bool:
        run = find(str(self.directory), "")
        return run.health().is_whole and all(one.alive for one in run.table.nodes)

    def standing(self) -> list[Entry]:
        return list(self.keeping.standing().values())

    def is_any_stopped(self, entry: Entry) -> bool:
        assert entry.undo is not None
        assert entry.undo.do == GO_ON
        return any(processes.is_paused(Process(*one)) for one in entry.undo.how["processes"])

    # ---- experiments

    def begin(self, experiment: Path, *words: str) -> "subprocess.Popen[str]":
        command = [*CHAOS, "--no-version-check", "--settings", str(self.place / "settings.yaml"), "--no-log-file", "run", *words]
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # tests that run in the background ignore it, and so would what they start
            signal.signal(signal.SIGINT, signal.default_int_handler)
        variables = ("--var", f"directory={self.directory}", "--var", "lag_epochs:int=100000")  # a slow machine is no finding
        return subprocess.Popen(
            [*command, *variables, "--journal-path", str(self.place / "journal.json"), str(experiment)],
            cwd=self.place,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def experiment(self, experiment: Path, *words: str) -> Ended:
        """Once the steady state holds: a slow machine is no finding."""
        while (ended := self.ended(self.begin(experiment, *words))).was_too_early:
            until("the toy is whole again", self.is_whole)
        return ended

    def ended(self, process: "subprocess.Popen[str]") -> Ended:
        told, _ = process.communicate(timeout=2 * PATIENCE_S)
        return Ended(process.returncode, told, json.loads((self.place / "journal.json").read_text()))


def passed(toy: Toy, name: str, variables: Mapping[str, str]) -> Ended:
    words = [word for variable, value in variables.items() for word in ("--var", f"{variable}={value}")]
    ended = toy.experiment(EXPERIMENTS / f"{name}.yaml", *words)
    assert (ended.code, ended.journal["status"], ended.journal["deviated"]) == (0, "completed", False), ended.told
    assert {one["status"] for one in ended.journal["run"]} == {"succeeded"}
    assert toy.standing() == []
    return ended


@contextmanager
def running_toy(place: Path, program: str = "tests.worlds.toy_run") -> Iterator[Toy]:
    toy = Toy(place)
    with (place / "run.log").open("wb") as log:
        run = subprocess.Popen(
            [sys.executable, "-m", program, str(place), FAILURE_TIMEOUT], cwd=ROOT, stdout=log, stderr=log, process_group=0
        )
    try:
        until("the toy runs", lambda: (toy.directory / "run.json").exists() or run.poll() is not None)
        assert run.poll() is None, (place / "run.log").read_text()
        until("the toy is ready", toy.is_whole)
        yield toy
    finally:
        end(toy, run)


@contextmanager
def disturbed_toy(place: Path) -> Iterator[Toy]:
    """One whose workers obey disturbances; and whose output must be right after all that has been done to it."""
    with running_toy(place, "tests.chaos.disturbed_toy") as toy:
        yield toy
        out = delivered(toy.place)
        assert out == expected(len(out))


@contextmanager
def whole(toy: Toy) -> Iterator[None]:
    """Before a test, and whatever it leaves is undone."""
    until("the toy is whole again", toy.is_whole)
    yield
    actions.undo_faults(directory=str(toy.directory))


def end(toy: Toy, run: "subprocess.Popen[bytes]") -> None:
    """Whoever runs it by now: an experiment may have run it again."""
    again = toy.table().controller if (toy.directory / "run.json").exists() else None
    if again is not None:
        processes.send(again, signal.SIGINT)
    elif run.poll() is None:
        os.kill(run.pid, signal.SIGINT)
    run.wait(timeout=PATIENCE_S)
    until("nobody runs it", lambda: again is None or not processes.lives(again))


def changed(name: str, place: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A ready experiment, with something else in it."""
    document = yaml.safe_load((EXPERIMENTS / name).read_text())
    change(document)
    path = place / f"changed-{name}"
    path.write_text(yaml.safe_dump(document))
    return path
