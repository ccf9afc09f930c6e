"""Play a trace to the controller: begin, turn by turn through the trace, and count.

Why: whoever simulates wants the same run-up, the same account, and the same code in control as everywhere else.
Called by: `levee simulate`, benchmarks, tests.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from levee.control.actions import Decision
from levee.control.chronicle import Chronicle
from levee.control.events import Event
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.standing import unready
from levee.control.switching import Switching
from levee.topology.names import ConfigurationName
from levee.worlds.simulated.faults import Fault
from levee.worlds.simulated.tally import Tally
from levee.worlds.simulated.trace import Stretch, Trace
from levee.worlds.simulated.world import START, SimulatedWorld
from levee.worlds.world import step

BEGIN_MS = 600_000  # who has not begun by then will not
RUN_UP_MS = 10_000  # of the first rates, until they are known
DRAIN_MS = 5_000  # for what is on its way when the trace ends
SAMPLE_MS = 1_000


class NeverBegun(Exception):
    """The topology was not ready in time; with what it waits for."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One second of a run, for plots."""

    at_s: float
    configuration: ConfigurationName | None  # in force
    active: int  # replicas of tasks that compute
    rows_per_s: float  # of all sources
    counted: Tally


@dataclass(frozen=True, slots=True)
class Happening:
    at_s: float
    event: Event


@dataclass(slots=True)
class Played:
    of: dict[ConfigurationName, Tally] = field(default_factory=lambda: defaultdict(Tally))  # by the configuration of the trace
    in_force_s: dict[ConfigurationName, float] = field(default_factory=lambda: defaultdict(float))
    samples: list[Sample] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    failovers: int = 0
    switches: int = 0

    @property
    def whole(self) -> Tally:
        total = Tally()
        for tally in self.of.values():
            total.add(tally)
        return total


@dataclass(slots=True)
class Player:
    world: SimulatedWorld
    played: Played = field(default_factory=Played)
    chronicle: Chronicle = field(default_factory=Chronicle)
    switching: Switching = field(default_factory=Switching)
    before: Observation = field(default_factory=Observation)
    was: Decision | None = None
    began: Instant = START
    sampled: Tally = field(default_factory=Tally)

    def play(self, trace: Trace, faults: Iterable[Fault] = ()) -> Played:
        world = self.world
        self.begin(trace.stretches[0])
        for fault in faults:
            world.schedule(fault, world.now)
        for stretch in trace.stretches:
            self.go_through(stretch)
        self.played.failovers = world.failovers
        self.drain(trace.stretches[-1].configuration)
        return self.played

    # ---- before the trace

    def begin(self, first: Stretch) -> None:
        world = self.world
        world.flow_at(dict(first.rows_per_s))
        while missing := unready(world.wanted, self.turn(), world.now):
            if world.now > BEGIN_MS:
                raise NeverBegun(", ".join(missing))
        for _ in range(RUN_UP_MS // world.pace.turn_ms):
            self.turn()
        world.empty_queues()
        world.tally, world.failovers, self.began = Tally(), 0, world.now
        self.played.happenings.clear()

    def turn(self, until: Instant | None = None) -> Observation:
        """Decide, and let the time of a turn pass; what was seen."""
        world = self.world
        seen, decision = step(world, world.wanted, world.now)
        at_s = (world.now - self.began) / 1_000
        self.switching.look(world.wanted, seen, world.now)
        self.switching.decided(seen, decision, world.now, world.now)
        told = (*self.chronicle.events(self.before, seen, self.was, decision), *self.switching.heard())
        self.switching.taken()
        self.played.happenings += [Happening(at_s, one) for one in told]
        self.before, self.was = seen, decision
        after = Instant(world.now + world.pace.turn_ms)
        world.let_pass(after if until is None else Instant(min(after, until)))
        return seen

    # ---- the trace

    def go_through(self, stretch: Stretch) -> None:
        world, played = self.world, self.played
        ends = Instant(world.now + round(1_000 * stretch.seconds))
        earlier, pending = world.tally.copy(), world.rows.pending(world.roster)
        world.flow_at(dict(stretch.rows_per_s))
        while world.now < ends:
            began, configuration = world.now, world.configuration
            self.turn(ends)
            played.switches += world.configuration != configuration
            if world.configuration is not None:
                played.in_force_s[world.configuration] += (world.now - began) / 1_000
            self.sample()
        counted = world.tally.since(earlier)
        counted.due += pending - world.rows.pending(world.roster)  # what is still queued is read, or lost, in the next stretch
        played.of[stretch.configuration].add(counted)

    def sample(self) -> None:
        world, counted = self.world, self.world.tally.since(self.sampled)
        if round(1_000 * counted.seconds) >= SAMPLE_MS:
            active = sum(map(len, world.roster.of_tasks))
            at_s = (world.now - self.began) / 1_000
            self.played.samples.append(Sample(at_s, world.configuration, active, sum(world.rows_per_s), counted))
            self.sampled = world.tally.copy()

    def drain(self, configuration: ConfigurationName) -> None:
        """What is on its way comes in time; it counts, and its time does not."""
        world, earlier = self.world, self.world.tally.copy()
        earlier.due -= world.rows.pending(world.roster)
        world.flow_at({})
        world.let_pass(Instant(world.now + DRAIN_MS))
        left = world.tally.since(earlier)
        left.seconds = left.idle_task_s = 0.0
        self.played.of[configuration].add(left)


def played(world: SimulatedWorld, trace: Trace, faults: Iterable[Fault] = ()) -> Played:
    return Player(world).play(trace, faults)
