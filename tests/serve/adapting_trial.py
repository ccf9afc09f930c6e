"""One seed: a topology that adapts, on the fake API server and a store of files, under operators that die before or after any write.

python -m tests.serve.adapting_trial 17

Why: what is measured, when a plan is made for it, whether it pays, and how it is taken up are parts of their own; what happens between them
shows only where all of them are the real ones.
Called by: the test of many seeds; people, with the command that a failing test prints.
"""

import asyncio
import copy
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pytest

from levee.control.names import ReplicaName, task_of
from levee.control.rates import Window
from levee.lifecycle.position import Record
from levee.planning.completeness.verify import verify
from levee.planning.measured.drift import Quantity
from levee.planning.problem import Goal
from levee.serve import life, promises, weighing
from levee.serve.checked import checked
from levee.serve.recorded import record_of
from levee.worlds import plans
from levee.worlds.kubernetes.names import REPLICAS
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.local.book import Book
from levee.worlds.measuring import Measuring
from levee.worlds.plans import WrittenPlan
from levee.worlds.simulated.living.dying import at_once
from levee_spark.log.values import ControlRecord
from tests.serve import plant
from tests.serve.clock import Clock
from tests.serve.drifting import CALM_S, DWELL_S, LATER_S, LOOK_S, Change, Scenario, Truth, draw
from tests.serve.plant import PATH, WRITES, Killed, Operator, Plant, PlantApi, operator, topology
from tests.worlds.simulated.legal import check_passages

Say = Callable[[str], object]
NEAR = 1.02
RESTING = 0.1  # of the deaths
ANSWERS = {"AsPlanned", "NotWorthIt", "NoBetterPlan"}


class Violation(AssertionError):
    """Something that must hold does not."""


def must(holds: bool, text: str) -> None:
    if not holds:
        raise Violation(text)


@dataclass
class FatedApi(PlantApi):
    """Whose requests may be the last ones."""

    trial: "Trial | None" = None

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        asks, trial = super().__getattr__(verb), self.trial
        if verb not in WRITES or trial is None:
            return asks

        def ask(*words: Any, **more: Any) -> Any:
            trial.point(self)
            found = asks(*words, **more)
            trial.noting(trial.check_passages)
            trial.point(self)
            return found

        return ask


@dataclass
class Trial:
    scenario: Scenario
    store: Path
    clock: Clock
    random: Random
    say: Say
    plant: Plant = field(default_factory=Plant)
    truth: Truth = field(init=False)
    one: Operator = field(init=False)  # the operator
    sizes: dict[int, float] = field(default_factory=dict)  # of nodes that have another than at first
    calm: bool = False  # nobody dies any more
    record: Record | None = None  # where it is in its life, as it was stored last
    log: list[ControlRecord] = field(default_factory=list)
    plans: dict[int, WrittenPlan] = field(default_factory=dict)
    adapted_s: list[int] = field(default_factory=list)  # when plans for what was measured were put in force
    seen: Counter[str] = field(default_factory=Counter)
    wrong: AssertionError | None = None  # what was found while the operator was at work, who takes it for a failure of his own

    def __post_init__(self) -> None:
        self.truth = Truth(self.scenario)
        self.come()

    # ---- who looks after it

    def come(self) -> None:
        """Another operator, who knows what is stored."""
        self.one = operator(self.plant)
        self.one.api = self.one.shop.api = FatedApi(self.plant, trial=self)  # type: ignore[assignment]  # a fake
        self.one.shop.measuring = lambda _: Measuring(self.truth, window=lambda: Window(average_over_ms=0))
        for number, cores in self.sizes.items():
            self.resize(number, cores)

    def point(self, api: PlantApi) -> None:
        """Who dies too often while nothing happens measures nothing."""
        rests = self.record is not None and self.record.state == "running"
        if not self.calm and self.random.random() < self.scenario.kills * (RESTING if rests else 1.0):
            api.killed = True
            raise Killed

    def turn(self) -> None:
        try:
            at_once(self.one.turn())
        except Killed:
            self.seen["killed"] += 1
            self.seen["killed while a plan is taken up"] += self.record is not None and self.record.state == "updating"
            self.say(f"{self.truth.now_s:6} the operator dies, in {self.record.state if self.record else 'nothing'}")
            self.come()
        if self.wrong is not None:
            raise self.wrong
        self.check_measured()
        self.check_covered()
        self.clock.ms += 1_000 * LOOK_S
        self.truth.pass_by(LOOK_S)

    # ---- what is stored, as it is stored

    def noting(self, check: Callable[[], None]) -> None:
        try:
            check()
        except AssertionError as wrong:
            self.wrong = self.wrong or wrong

    def write(self, book: Book, record: ControlRecord, really: Callable[[Book, ControlRecord], bool]) -> bool:
        self.point(self.one.api)
        won = really(book, record)
        if won:
            self.noting(lambda: self.check_record(record))
            self.log.append(record)
        self.point(self.one.api)
        return won

    def write_plan(self, number: int, plan: WrittenPlan) -> int:
        self.noting(lambda: must(self.plans.setdefault(number, plan) == plan, f"plan {number} has changed its meaning"))
        self.point(self.one.api)
        return number

    def check_passages(self) -> None:
        if PATH not in self.plant.things:
            return
        status, _ = checked(self.plant.things[PATH].get("status") or {})
        record = record_of(status) if "state" in status else None
        if record is not None and record != self.record:
            check_passages(self.record, record)
            self.record = record

    def check_record(self, record: ControlRecord) -> None:
        """One meaning of each number, a plan that is there, and somebody active of every task."""
        must(record.number == len(self.log) + 1, f"record {record.number} is written, and there are {len(self.log)}")
        must(record.plan in self.plans, f"record {record.number} names plan {record.plan}, which nobody has written")
        plan = self.plans[record.plan]
        self.say(f"{self.truth.now_s:6} record {record.number}, plan {record.plan}{' (adapted)' * bool(plan.declared)}: {record.reason}")
        ranks = {ReplicaName(name): rank for name, rank in record.live.ranks}
        for task in plan.planned.placement:
            mine = sorted(rank for one, rank in ranks.items() if task_of(one) == task)
            must(bool(mine) and mine == list(range(len(mine))), f"record {record.number} ranks {task} {mine}")
        if self.log and self.log[-1].plan != record.plan:
            self.check_switch(self.plans[self.log[-1].plan], plan)

    def check_switch(self, before: WrittenPlan, plan: WrittenPlan) -> None:
        """It keeps its promise; for what is measured there is another plan once in a dwell, and only an edit takes that back."""
        thrown_away = bool(before.declared) and not plan.declared and plan.generation == before.generation
        must(not thrown_away, "what was adapted to is thrown away, and nobody has edited anything")
        if not plan.declared:
            return
        now_s, last_s = self.truth.now_s, self.adapted_s[-1] if self.adapted_s else None
        must(last_s is None or now_s - last_s >= DWELL_S, f"it adapts at {now_s} s, and has done so at {last_s} s")
        self.adapted_s.append(now_s)
        self.seen["adapted"] += 1
        ready = promises.prepared(plan, self.one.shop.zones())
        wanted = plan.resource["spec"]["faultTolerance"]["target"]["completeness"]
        wrong = verify(ready.problem, weighing.planned(plan, ready.problem), goal=Goal(wanted), moved=True)
        must(not wrong, f"the plan that is adapted to does not hold: {wrong}")

    # ---- what must hold after every turn

    def check_measured(self) -> None:
        """What was not known is no measurement: nothing is believed that was never so."""
        life = self.one.life
        if life is None or life.adapting.plan is None:
            return
        phases = [one for one in self.scenario.phases if one.seconds]
        declared = weighing.loaded(life.adapting.plan)
        for drift in life.adapting.drifts.all:
            if drift.what is Quantity.RATE:
                mean = sum(one.probability * one.rows_per_s[drift.name] for one in declared.configurations)
                self.must_be_near(drift.text, mean * drift.ratio.value, [one.rate for one in phases])
            if drift.what is Quantity.COST:
                place = [one.name for one in declared.operators].index(drift.name)
                cost_s = declared.operators[place].inputs[0].cost_s * drift.ratio.value
                self.must_be_near(drift.text, cost_s, [one.cost * self.scenario.costs[place] for one in phases])

    def must_be_near(self, text: str, found: float, true: list[float]) -> None:
        must(min(true) / NEAR <= found <= max(true) * NEAR, f"{text}: {found:g}, and it was between {min(true):g} and {max(true):g}")

    def check_covered(self) -> None:
        """Of each task somebody active has a pod."""
        if self.record is None or self.record.state != "running" or not self.log:
            return
        living = {one for pod in self.plant.pods() for one in pod["metadata"]["annotations"][REPLICAS].split(",")}
        active = {name for name, _ in self.log[-1].live.ranks}
        for task in self.plans[self.log[-1].plan].planned.placement:
            must(any(task_of(ReplicaName(one)) == task for one in living & active), f"nobody active of {task} has a pod")

    # ---- all of it

    def run(self) -> "Trial":
        self.plant.apply(topology(self.store, **self.scenario.spec))
        changes = sorted(self.scenario.changes, key=lambda one: one.at_s)
        until = sum(one.seconds for one in self.scenario.phases)
        while self.truth.now_s < until:
            while changes and changes[0].at_s <= self.truth.now_s:
                self.change(changes.pop(0))
            self.calm = self.truth.now_s >= until - CALM_S
            self.turn()
        self.check_settled()
        if self.scenario.another:
            self.come()
            for _ in range(LATER_S // LOOK_S):
                self.turn()
            self.check_settled()
        return self

    def change(self, change: Change) -> None:
        if change.node:
            self.sizes[change.node] = change.cores
            self.resize(change.node, change.cores)
            self.seen["resized"] += 1
            self.say(f"{self.truth.now_s:6} node-{change.node} has {change.cores} cores")
        else:
            spec = {**self.scenario.spec, "faultTolerance": {"target": {"completeness": change.completeness}}}
            self.plant.apply(topology(self.store, **spec))
            self.seen["edited"] += 1
            self.say(f"{self.truth.now_s:6} its user asks for {change.completeness}")

    def resize(self, number: int, cores: float) -> None:
        told = copy.deepcopy(self.one.shop.cluster.node(f"node-{number}"))
        assert told is not None
        told["status"]["allocatable"]["cpu"] = f"{cores * 1_000:.0f}m"
        self.one.shop.cluster.keep_node(told)

    def check_settled(self) -> None:
        """What has not changed for longer than anything is remembered has an answer, and is not adapted to any more."""
        assert self.record is not None
        must(self.record.state == "running", f"it is {self.record.state}")
        quiet_s = self.truth.now_s - (self.adapted_s[-1] if self.adapted_s else 0)
        must(quiet_s >= 3 * DWELL_S, f"it has adapted {quiet_s} s ago, and nothing has changed for {CALM_S} s or more")
        found = [one for one in self.plant.things[PATH]["status"]["conditions"] if one["type"] == "DescriptorHolds"]
        said = [one["reason"] for one in found]
        self.seen.update(said)
        must(bool(said) and said[0] in ANSWERS, f"its descriptor is {found}")


def run(seed: int, say: Say = lambda _: None) -> Trial:
    scenario = draw(seed)
    names = Random(f"names {seed}")
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(plant, "uuid4", lambda: UUID(int=names.getrandbits(128)))  # by a topology's the first of equal nodes is chosen
        trial = Trial(scenario, Path(place), Clock().rule(patch), Random(f"fate {seed}"), say)
        write, write_plan = Book.write, plans.write
        patch.setattr(asyncio, "to_thread", here)
        patch.setattr(life, "random", Random(f"jitter {seed}").random)
        patch.setattr(Book, "unpublished", lambda *_: frozenset())
        patch.setattr(Book, "write", lambda book, record: trial.write(book, record, write))
        patch.setattr(plans, "write", lambda blobs, layout, plan: trial.write_plan(write_plan(blobs, layout, plan), plan))
        patch.setattr(KubernetesWorld, "spent", lambda _: trial.truth.spent())
        return trial.run()


async def here(what: Callable[..., Any], *words: Any, **more: Any) -> Any:
    """So that the same seed is the same run."""
    return what(*words, **more)


if __name__ == "__main__":
    print(draw(int(sys.argv[1])))
    print(dict(run(int(sys.argv[1]), print).seen))
