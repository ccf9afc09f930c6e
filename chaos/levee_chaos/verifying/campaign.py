"""All trials of a topology, one after another: configuration by configuration, each with a verdict.

Called by: levee_chaos.commands.verify.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from levee.control.names import WorkerName
from levee.control.wanted import Patience
from levee.fit.verdicts import Verdict
from levee.topology.names import ConfigurationName
from levee.topology.wording import count
from levee_chaos.verifying.driving import NotDrivable
from levee_chaos.verifying.judging import Outcome
from levee_chaos.verifying.promises import Promised
from levee_chaos.verifying.taking import Say, Terms, take
from levee_chaos.verifying.trials import Trial
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where

REST_AFTER = 3  # ends of a worker in a row; Levee gives one up that dies again and again
REST_S = Patience(0).stable_ms / 1_000


class Stage(Protocol):
    """Where the topology runs in a configuration; NotDrivable where it cannot be brought to it."""

    def at(self, configuration: ConfigurationName, trials: Sequence[Trial]) -> AbstractContextManager[Where]: ...


@dataclass(slots=True)
class Campaign:
    promised: Promised
    stage: Stage
    terms: Terms
    say: Say
    until_s: float | None = None  # by the monotonic clock
    rested: Mapping[WorkerName, int] = field(default_factory=dict)  # attempts, at the last rest

    def outcomes(self, trials: Sequence[Trial]) -> Iterator[Outcome]:
        for at in dict.fromkeys(one.at for one in trials):
            mine = [one for one in trials if one.at == at]
            self.say(f"configuration {at}: {count(len(mine), 'fault')}")
            try:
                with self.on_stage(at, mine) as where:
                    yield from self.taken(mine, where)
            except NotDrivable as wrong:
                yield from (Outcome(one, Verdict.INCONCLUSIVE, f"configuration {at} was not to be had: {wrong}") for one in mine)

    @contextmanager
    def on_stage(self, at: ConfigurationName, trials: Sequence[Trial]) -> Iterator[Where]:
        with self.stage.at(at, trials) as where:
            self.rested = {}
            yield where

    def taken(self, trials: Sequence[Trial], where: Where) -> Iterator[Outcome]:
        for trial in trials:
            if self.is_over():
                yield Outcome(trial, Verdict.INCONCLUSIVE, "the time limit was over before its turn")
                continue
            self.rest(where)
            yield take(trial, self.promised, where, self.terms, self.say)

    def is_over(self) -> bool:
        return self.until_s is not None and time.monotonic() > self.until_s

    def rest(self, where: Where) -> None:
        """So long that what ends next counts as an accident."""
        attempts = {row.worker: row.attempt for row in find(where).seen().replicas}
        if any(attempt - self.rested.get(worker, attempt) >= REST_AFTER for worker, attempt in attempts.items()):
            self.say(f"workers have ended {REST_AFTER} times by now: they get {REST_S:g} s of rest")
            time.sleep(REST_S)
            self.rested = attempts
        self.rested = {**attempts, **self.rested}
