"""The process of an experiment's Job, on a toy of this machine: whatever happens to it or to what it runs, there is a verdict, and nothing
is left."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from levee.experiments.orders import ORDER, Order, events_in
from levee.experiments.rendering import document
from levee.worlds.local import processes
from levee_chaos import job as job_module
from levee_chaos.keeping import Keeping
from levee_chaos.worlds.world import Where
from tests.chaos.toys import PATIENCE_S, Toy, running_toy, until
from tests.experiments.texts import experiment, step

LAG = {"probe": "lag_below", "arguments": {"epochs": 100_000}}  # a slow machine is no finding
STEADY = {"probes": [{"probe": "ready"}, LAG, {"probe": "no_epoch_lost_or_changed"}]}


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    with running_toy(tmp_path_factory.mktemp("toy")) as toy:
        yield toy


@dataclass
class Job:
    toy: Toy
    place: Path
    process: "subprocess.Popen[str]" = field(init=False)

    def begin(self, *steps: Any, **spec: Any) -> "Job":
        """The toy is found by its name, as if `levee run` had made it here."""
        name = self.toy.table().topology.rpartition("/")[2]
        (self.place / ".levee").mkdir()
        (self.place / ".levee" / name).symlink_to(self.toy.directory)
        found = experiment(topology=name, steps=list(steps), **{"steadyState": STEADY, **spec})
        order = Order(name, (), found.names, document(found))
        command, environment = [sys.executable, "-m", "levee_chaos.job", "run"], os.environ | {ORDER: order.text()}
        with (self.place / "said.log").open("w") as log:
            self.process = subprocess.Popen(command, cwd=self.place, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        return self

    def verdict(self) -> Any:
        said, _ = self.process.communicate(timeout=2 * PATIENCE_S)
        assert self.process.returncode == 0, (self.place / "said.log").read_text()
        self.events = events_in(said)
        assert [one["event"] for one in self.events[-2:]] == ["journal", "verdict"]
        return self.events[-1]["verdict"]

    def chaos(self) -> int:
        """The process of Chaos Toolkit: what the job has started itself."""
        [found] = [one.process.pid for one in processes.everybody() if one.parent == self.process.pid]
        return found


# ---- without a topology


def test_where_there_is_no_topology_it_is_refused_and_says_why(tmp_path: Path) -> None:
    found = experiment(steps=[step("crash_replica", role="primary")])
    environment = os.environ | {ORDER: Order("clicks", (), found.names, document(found)).text()}
    command = [sys.executable, "-m", "levee_chaos.job", "run"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    said = events_in(ended.stdout)[-1]["verdict"]
    assert (said["phase"], said["reason"], said["undone"]) == ("Refused", "CannotBegin", True), said
    assert "'clicks' does not run in" in said["message"]
    assert "Fix: start it with levee run" in said["message"]


def test_what_an_earlier_experiment_has_told_is_not_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keeping = Keeping(tmp_path)
    keeping.place.mkdir()
    keeping.tell("aborts", {"reason": "TimeLimit"})
    monkeypatch.setattr(job_module, "keeping_of", lambda _: keeping)
    told = job_module.Told(Where("clicks"))
    told.begin()
    told.follow()
    assert told.events == []
    keeping.tell("began", {"title": "mine"})
    told.follow()
    told.follow()
    assert [one["event"] for one in told.events] == ["began"]
    assert [one["event"] for one in events_in(capsys.readouterr().out)] == ["began"]


# ---- on one


@pytest.fixture
def job(toy: Toy, tmp_path: Path) -> Iterator[Job]:
    until("the toy is whole", toy.is_whole)
    found = Job(toy, tmp_path)
    yield found
    if found.process.poll() is None:
        found.process.kill()
        found.process.communicate()
    assert toy.standing() == []


def test_a_topology_that_survives_passes_with_numbers(job: Job) -> None:
    said = job.begin(step("crash_replica", role="primary")).verdict()
    assert (said["phase"], said["reason"], said["undone"]) == ("Passed", "Survived", True), said
    assert said["figures"].keys() == {"faults", "recoverySeconds", "gapSeconds", "lostSeconds", "epochsLost", "epochsChanged"}
    assert (said["figures"]["faults"], said["figures"]["epochsLost"], said["figures"]["epochsChanged"]) == (1, 0, 0)
    [one] = said["steps"]
    assert (one["name"], one["phase"]) == ("1-crash-replica", "Done")
    assert "with" in one["met"]
    assert {"began", "begins", "ends", "looked", "ended"} <= {one["event"] for one in job.events}


def test_a_moment_that_never_comes_is_inconclusive_and_nothing_was_done(job: Job) -> None:
    never = {"rate": {"atLeast": 1e9}, "within": "1s"}
    said = job.begin(step("crash_replica", role="primary", when=never)).verdict()
    assert (said["phase"], said["reason"]) == ("Inconclusive", "NeverFired"), said
    assert said["figures"]["faults"] == 0
    assert [one["phase"] for one in said["steps"]] == ["NeverFired"]
    assert "was not 1e+09 rows per second or more" in said["message"]


def test_whom_there_is_not_is_refused_before_anything_is_done(job: Job) -> None:
    said = job.begin(step("crash_replica", role="primary"), step("crash_replica", operator="nobody")).verdict()
    assert (said["phase"], said["reason"]) == ("Refused", "CannotBegin"), said
    assert "there is no operator 'nobody'" in said["message"]
    assert [one["phase"] for one in said["steps"]] == ["Waiting", "Waiting"]


def test_whom_an_experiment_may_not_hit_is_refused_when_it_is_known_who_that_is(job: Job) -> None:
    targets = {"targets": {"nodes": ["node-of-nobody"]}}
    said = job.begin(step("crash_replica", role="primary"), safety=targets).verdict()
    assert (said["phase"], said["reason"]) == ("Refused", "CannotBegin"), said
    assert "only on node-of-nobody it may be" in said["message"]


def test_what_takes_too_long_is_aborted(job: Job) -> None:
    said = job.begin(
        step("pause_replica", role="primary", for_s=600), safety={"timeLimit": "8s", "lostFor": "7s"}, steadyState={"probes": [LAG]}
    ).verdict()
    assert (said["phase"], said["reason"], said["undone"]) == ("Aborted", "TimeLimit", True), said


def test_stopped_from_outside_it_undoes_what_stands(job: Job) -> None:
    job.begin(step("pause_replica", role="primary", for_s=600))
    until("it stands still", lambda: any(map(job.toy.is_any_stopped, job.toy.standing())))
    job.process.send_signal(signal.SIGTERM)
    said = job.verdict()
    assert (said["phase"], said["reason"], said["undone"]) == ("Aborted", "Stopped", True), said


def test_where_the_experiments_own_process_is_killed_what_stands_is_undone_and_nobody_says_it_passed(job: Job) -> None:
    job.begin(step("pause_replica", role="primary", for_s=600))
    until("it stands still", lambda: any(map(job.toy.is_any_stopped, job.toy.standing())))
    os.kill(job.chaos(), signal.SIGKILL)
    said = job.verdict()
    assert (said["phase"], said["reason"], said["undone"]) == ("Inconclusive", "Died", True), said
    assert json.loads(job.events[-2]["journal"]) is None
