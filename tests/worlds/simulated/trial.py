"""One seed: the controller and the simulated world, with everything that befalls them, and what must hold meanwhile and in the end.

Called by: the test of many seeds, and `replay`.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from levee.control import decide as deciding
from levee.control.actions import Action, Decision, Reason, StartWorker, WriteRecord
from levee.control.following import up
from levee.control.names import Instant, ReplicaName
from levee.control.seen import Observation, Phase
from levee.control.space import Space
from levee.planning.completeness.model import Model, node_loads, scenarios
from levee.topology.graph import FailureModel
from levee.topology.names import ConfigurationName, TaskId
from levee.worlds.simulated.faults import worst
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.ground import Copy, Process
from levee.worlds.simulated.world import Memory, SimulatedWorld
from levee_spark.log.values import ControlRecord
from tests.worlds.simulated.scenario import Misfortune, Scenario, draw
from tests.worlds.simulated.telling import Telling

GRACE_MS = 10_000  # to see that nobody who is active can work, and to have told somebody who can
CONVERGED_IN_S = 240
QUIET_TURNS = 8
STEADY_MS = 12_000
PROMISE_MS = 20_000
NO_MISFORTUNE = Misfortune()
OF_KNOWN_RATES = {Reason.RATES_CHANGED, Reason.INPUT_ABOVE_CONTRACT, Reason.SETTLED}
Say = Callable[[str], None]


class Violation(AssertionError):
    """Something that must hold does not."""


def must(holds: bool, text: str) -> None:
    if not holds:
        raise Violation(text)


@dataclass(slots=True)
class Outcome:
    """What has happened, so that a test can tell whether enough did."""

    seen: Counter[str] = field(default_factory=Counter)
    records: int = 0
    converged_ms: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen, and when rates were unknown last, by then."""

    seen: Observation
    at: Instant
    unknown_at: Instant | None

    @property
    def is_blind(self) -> bool:
        return self.unknown_at == self.at


@dataclass(slots=True)
class Trial:
    scenario: Scenario
    random: Random
    world: SimulatedWorld
    say: Say
    telling: Telling | None = None  # None: workers tell their rates
    outcome: Outcome = field(default_factory=Outcome)
    history: deque[Look] = field(default_factory=lambda: deque(maxlen=8))
    late: list[tuple[int, Sequence[Action]]] = field(default_factory=list)  # in so many turns, what was decided now
    agreed: list[ControlRecord] = field(default_factory=list)  # the log, as it was
    uncovered: dict[TaskId, int] = field(default_factory=dict)  # since when

    # ---- a turn

    def turn(self, misfortune: Misfortune = NO_MISFORTUNE) -> Decision:
        world, now = self.world, self.world.now
        look = self.look()
        if self.befalls(misfortune.delay, "delay"):
            look = self.history[-min(len(self.history), 1 + self.random.randint(1, misfortune.turns))]
        decision = deciding.decide(self.scenario.wanted, look.seen, now)
        self.say(f"{now / 1_000:7.1f} {decision.reason}: {decision.text}")
        self.check_starts(decision, look.seen)
        self.check_rates(decision, look)
        actions: Sequence[Action] = decision.actions
        if actions and self.befalls(misfortune.late_act, "late act"):
            self.late.append((self.random.randint(1, misfortune.turns), actions))
        else:
            self.act(actions, misfortune)
        if actions and self.befalls(misfortune.repeat, "repeat"):
            self.act(actions, misfortune)
        self.act_late(misfortune)
        world.let_pass(Instant(now + world.pace.turn_ms))
        self.check()
        return decision

    def look(self) -> Look:
        now, before = self.world.now, self.history[-1].unknown_at if self.history else None
        seen = self.world.observe(now)
        unknown = self.telling is not None and self.telling.is_unknown()
        self.history.append(Look(seen, now, now if unknown else before))
        return self.history[-1]

    def befalls(self, probability: float, name: str) -> bool:
        found = self.random.random() < probability
        self.outcome.seen[name] += found
        return found

    def act(self, actions: Sequence[Action], misfortune: Misfortune) -> None:
        for action in actions:
            if self.befalls(misfortune.crash, "crash"):
                self.say("        the controller crashes")
                self.world.memory = self.telling.memory() if self.telling is not None else Memory()
                return
            self.world.perform(action, self.world.now)
            self.outcome.seen[type(action).__name__] += 1
            self.check_log()

    def act_late(self, misfortune: Misfortune) -> None:
        due = [actions for turns, actions in self.late if turns <= 0]
        self.late = [(turns - 1, actions) for turns, actions in self.late if turns > 0]
        for actions in due:
            self.act(actions, misfortune)

    # ---- what must hold at every step

    def check(self) -> None:
        self.check_log()
        self.check_covered()
        must(self.world.finished is None, "nobody has asked for an end")

    def check_log(self) -> None:
        """One meaning for each number, and every task in every record."""
        records = self.world.records
        must(records[: len(self.agreed)] == self.agreed, "a control record has changed its meaning")
        for record in records[len(self.agreed) :]:
            self.say(f"        record {record.number}: {record.configuration}, {record.reason}")
            self.check_record(record)
        self.agreed = list(records)

    def check_record(self, record: ControlRecord) -> None:
        wanted = self.scenario.wanted
        ranks = {ReplicaName(name): rank for name, rank in record.live.ranks}
        must(ConfigurationName(record.configuration) in wanted.active, f"record {record.number} names no configuration")
        anchored = any(replica in ranks for task in wanted.sources for replica in wanted.replicas[task])
        for task, replicas in wanted.replicas.items():
            mine = sorted(ranks[one] for one in replicas if one in ranks)
            must(mine == list(range(len(mine))), f"record {record.number} ranks {task} {mine}")
            must(bool(mine) or (task in wanted.sources and not anchored), f"in record {record.number} nobody of {task} is active")

    def check_covered(self) -> None:
        """Where a replica could work, one that is active can, but for the moment until that is seen."""
        wanted, now = self.scenario.wanted, self.world.now
        named = {name for name, _ in self.world.record.live.ranks} if self.world.record is not None else set[str]()
        ground = self.world.ground
        works = {copy.replica for process, copy in self.copies() if process.works and ground.broken[copy.replica] <= 0}
        answers = {copy.replica for process, copy in self.copies() if process.phase is Phase.READY}
        for task, replicas in wanted.replicas.items():
            can = [one for one in replicas if one in works & answers]  # nobody can see what fails unseen
            if not can or not works.isdisjoint(named & set(replicas)) or not self.world.anchored:
                self.uncovered.pop(task, None)
                continue
            since = self.uncovered.setdefault(task, now)
            must(now - since <= GRACE_MS + self.slowness_ms, f"for {now - since} ms nobody active of {task} could work, and {can} could")

    @property
    def slowness_ms(self) -> int:
        """By how much a controller that has bad luck in each of its turns may be later."""
        luck, turn_ms = self.scenario.misfortune, self.world.pace.turn_ms
        return 20 * turn_ms if luck.crash or luck.late_act or luck.delay else 0

    def check_starts(self, decision: Decision, seen: Observation) -> None:
        open_nodes = {node.node for node in seen.nodes if node.is_open}
        for action in decision.actions:
            must(not isinstance(action, StartWorker) or action.node in open_nodes, f"{action} is on a node that is gone")

    def check_rates(self, decision: Decision, look: Look) -> None:
        """While rates are unknown the configuration holds, and that is said; nor is it left for a lower one soon after."""
        to = next((one.configuration for one in decision.actions if isinstance(one, WriteRecord)), look.seen.configuration)
        before = look.seen.configuration
        if look.is_blind:
            must(before in {None, to}, f"{before} is left for {to}, and the rates are unknown")
            must(decision.reason not in OF_KNOWN_RATES, f"the rates are unknown, and it says {decision.reason}: {decision.text}")
            self.outcome.seen["unknown"] += decision.reason is Reason.RATES_UNKNOWN
            self.outcome.seen["held"] += before not in {None, up(self.scenario.wanted.space, self.world.rates).name}
        if look.unknown_at is not None and before is not None and to is not None and self.rows_of(to) < self.rows_of(before):
            known_ms, dwell_ms = look.at - look.unknown_at, self.scenario.wanted.patience.dwell_ms
            must(known_ms >= dwell_ms, f"{before} is left for {to}, and the rates were unknown {known_ms} ms ago")

    def rows_of(self, name: ConfigurationName) -> float:
        return next(sum(one.rows_per_s.values()) for one in self.scenario.wanted.configurations if one.name == name)

    def copies(self) -> list[tuple[Process, Copy]]:
        return [(process, copy) for process, copy in self.world.ground.copies() if process.phase is not Phase.ENDED]

    # ---- the whole

    def run(self) -> Outcome:
        self.fail()
        self.converge()
        self.check_settled()
        if self.telling is not None:
            self.telling.mend()
        self.check_steady()
        if self.has_room():
            self.check_promise()
        self.outcome.records = len(self.world.records)
        return self.outcome

    def fail(self) -> None:
        world = self.world
        for fault in self.scenario.faults:
            world.schedule(fault, world.now)
            self.outcome.seen[fault.kind] += 1
        for stretch in self.scenario.stretches:
            ends = world.now + 1_000 * stretch.seconds
            world.flow_at(dict(stretch.rows_per_s))
            while world.now < ends:
                self.turn(self.scenario.misfortune)

    def converge(self) -> None:
        """Until nobody is on his way, and nobody silent has yet to be ended: that would be another failure beside the worst case."""
        began, quiet = self.world.now, 0
        while quiet < QUIET_TURNS or self.late:
            decision = self.turn()
            passing = any(process.phase in {Phase.STARTING, Phase.SILENT} for process, _ in self.copies())
            settled = Reason.RATES_UNKNOWN if self.history[-1].is_blind else Reason.SETTLED
            quiet = quiet + 1 if decision.reason is settled and not passing else 0
            took_s = (self.world.now - began) / 1_000
            must(took_s < CONVERGED_IN_S, f"{took_s:g} s after the last fault it is not settled: {decision.reason}, {decision.text}")
        self.outcome.converged_ms = self.world.now - began

    def check_settled(self) -> None:
        wanted, record = self.scenario.wanted, self.world.record
        assert record is not None
        configuration = ConfigurationName(record.configuration)
        named = {name for name, _ in record.live.ranks}
        must(named == wanted.active[configuration], f"active are {sorted(named)}, and planned {sorted(wanted.active[configuration])}")
        living = Counter(copy.replica for _, copy in self.copies())
        twice = [one for one in living if living[one] > 1]
        must(not twice, f"{twice} live twice")
        homes = {replica: placed.node for placed in wanted.workers for replica in placed.replicas}
        strayed = [copy.replica for process, copy in self.copies() if process.order.node != homes[copy.replica]]
        must(not strayed, f"{strayed} are not where they were planned")

    def check_steady(self) -> None:
        """The configuration is the right one, and nothing is lost in it, unless the plan itself has more on a node than that can do."""
        world, problem = self.world, self.scenario.problem
        space = Space(problem.configurations)
        while world.configuration != up(space, world.rates).name:
            must(world.now < 1_000_000, f"{world.configuration} stays in force, and the rates are {world.rates}")
            self.turn()
        for _ in range(STEADY_MS // world.pace.turn_ms):
            self.turn()
        if self.has_room():
            earlier = world.tally.copy()
            for _ in range(STEADY_MS // world.pace.turn_ms):
                self.turn()
            lost = world.tally.since(earlier).lost
            must(lost < 1e-6, f"{lost:g} rows are lost, and nothing fails")
            self.outcome.seen["steady"] += 1

    def has_room(self) -> bool:
        """Else the plan promises nothing: its nodes have more to do than they can."""
        problem, plan = self.scenario.problem, self.scenario.plan
        loads = node_loads(Model(problem), plan.active, plan.placement).max(axis=0)
        return all(load < 0.95 * node.capacity_cores for load, node in zip(loads, problem.nodes, strict=True))

    def check_promise(self) -> None:
        """In the worst case that the pessimistic model knows, which the controller does not notice."""
        world, problem, plan = self.world, self.scenario.problem, self.scenario.plan
        for fault in worst(self.scenario.wanted, unseen=True):
            world.schedule(fault, world.now)
        for _ in range(STEADY_MS // world.pace.turn_ms):
            self.turn()
        earlier = world.tally.copy()
        for _ in range(PROMISE_MS // world.pace.turn_ms):
            self.turn()
        model, counted = Model(problem), world.tally.since(earlier)
        alive = scenarios(problem, FailureModel.PESSIMISTIC, plan.placement)["pessimistic"]
        names = [one.name for one in problem.configurations]
        here = names.index(world.configuration) if world.configuration is not None else 0
        promised = float(model.processed(plan.active, alive).sum(axis=1)[here] / model.rates[0].sum(axis=1)[here])
        kept = counted.completeness
        must(kept >= 0.95 * promised, f"{kept:.3f} of the rows were read in time, and {promised:.3f} were promised")


def trial_of(seed: int, say: Say = lambda _: None) -> Trial:
    scenario = draw(seed)
    world = SimulatedWorld(Flow(scenario.problem), scenario.wanted, Random(f"world {seed}"), scenario.pace)
    telling = Telling(world, scenario.spells) if scenario.spells is not None else None
    world.memory = telling.memory() if telling is not None else Memory()
    return Trial(scenario, Random(f"misfortune {seed}"), world, say, telling)


def run(seed: int, say: Say = lambda _: None) -> Outcome:
    return trial_of(seed, say).run()
