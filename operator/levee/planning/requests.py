"""How often a running topology asks its store, and what that costs where requests are paid for.

Why: on an object store requests are the price of a plan, beside its cores; more replicas and shorter epochs ask more often.
What is counted is what the roles of the epoch log do in steady state; `make bench-streams` compares it with what workers count.
Called by: plans.planner; the streams bench.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from levee.planning.expand import reads
from levee.topology.graph import Operator, Timing, Topology
from levee.topology.names import OperatorName, TaskId, task_id

ENDS = 2  # replicas of an ingestor or a deliverer
FILES = 3  # a published checkpoint: the lane's base, its state, the manifest
POLLS = 1.0  # per epoch and input: how often it is asked for before it is there, once the rhythm is known
CLOCK_PERIODS = 50  # a source compares its clock with the store's so often: one put, one get
TRIM_PERIODS, TRIM_SHARE = 4, 8  # a trimmer sleeps for an eighth of retention, and for four periods at least
TRIM_LISTS, TRIM_PUTS, TRIM_GETS = 10, 2, 8  # of one turn of the trimmer that leads; deleting is free
KEEPER_LISTS, OWN_LISTS = 3, 4  # in it: for each task that keeps epochs of the stream; where the task has checkpoints of its own
MONTH_S = 730 * 3600

PUTS_USD, GETS_USD = 0.005 / 1000, 0.0004 / 1000  # list price of S3 Standard in us-east-1; a list costs what a put costs
PRICE = "list price of S3 Standard (0.005 USD per 1,000 puts and lists, 0.0004 USD per 1,000 gets)"


@dataclass(frozen=True, slots=True)
class Requests:
    """A second, or an epoch."""

    puts: float = 0.0  # and lists
    gets: float = 0.0

    def __add__(self, other: "Requests") -> "Requests":
        return Requests(self.puts + other.puts, self.gets + other.gets)

    def __mul__(self, factor: float) -> "Requests":
        return Requests(self.puts * factor, self.gets * factor)

    @property
    def total(self) -> float:
        return self.puts + self.gets

    @property
    def usd(self) -> float:
        return self.puts * PUTS_USD + self.gets * GETS_USD


def per_second(topology: Topology, active: Mapping[TaskId, float], replicas: int) -> Requests:
    return per_epoch(topology, active, replicas) * (1 / topology.timing.period_s)


def per_epoch(topology: Topology, active: Mapping[TaskId, float], replicas: int) -> Requests:
    """`active`: how many replicas of each operator's task race, in mean over the configurations; all others stand by."""
    timing, total = topology.timing, Requests()
    for source in topology.sources:
        for index in range(source.parallelism):
            total += source_task() + trimming(ENDS, 0, consumers(topology, source.name, index), timing)
    for operator in topology.operators:
        for index in range(operator.parallelism):
            racing = active[task_id(operator.name, index)]
            total += operator_task(inputs(topology, operator, index), racing, max(replicas, racing), timing)
            total += trimming(max(replicas, racing), 1, consumers(topology, operator.name, index), timing)
    for sink in topology.sinks:
        total += sink_task(width(topology, sink.origin), timing) + retiring(timing)
    return total


def source_task() -> Requests:
    """Each ingestor looks for decisions and anchors; one puts, the other looks what came of it."""
    clock = Requests(ENDS, ENDS) * (1 / CLOCK_PERIODS)
    return Requests(1, 2 * ENDS + ENDS - 1) + clock


def operator_task(inputs: int, racing: float, replicas: float, timing: Timing) -> Requests:
    """Who races reads its inputs; who leads puts, who does not looks what came of it; everybody looks for decisions."""
    looks = racing * inputs * (1 + POLLS) + max(0.0, racing - 1) + replicas
    damage = racing * timing.period_s / timing.failure_timeout_s
    return Requests(1, looks + damage) + publishing(racing, timing)


def sink_task(inputs: int, timing: Timing) -> Requests:
    return Requests(0, ENDS * inputs * (1 + POLLS)) + publishing(ENDS, timing)


def publishing(racing: float, timing: Timing) -> Requests:
    return Requests(FILES, racing) * (1 / timing.checkpoint_every)


def trimming(replicas: float, own: int, consumers: int, timing: Timing) -> Requests:
    """One of a task's replicas trims its stream, the others watch the store's clock. `own`: 1 if it has a state to replay from."""
    lists = TRIM_LISTS + KEEPER_LISTS * (own + consumers) + OWN_LISTS * own
    return Requests(lists + TRIM_PUTS, TRIM_GETS) * turns(timing) + Requests(1, 1) * replicas * turns(timing)


def retiring(timing: Timing) -> Requests:
    """A sink has no stream: only its old checkpoints go, and none of its deliverers is the first."""
    return Requests(OWN_LISTS + 1, 2) * (ENDS * turns(timing))


def turns(timing: Timing) -> float:
    """Of a trimmer, in an epoch."""
    return timing.period_s / max(TRIM_PERIODS * timing.period_s, timing.retention_s / TRIM_SHARE)


def inputs(topology: Topology, operator: Operator, index: int) -> int:
    return sum(len(list(reads(operator, stream, width(topology, stream.origin), index))) for stream in operator.inputs)


def consumers(topology: Topology, name: OperatorName, index: int) -> int:
    """The tasks that read this one."""
    found = sum(sink.origin == name for sink in topology.sinks)
    for operator in topology.operators:
        for stream in operator.inputs:
            if stream.origin == name:
                tasks = range(operator.parallelism)
                found += sum(any(one == index for one, _ in reads(operator, stream, width(topology, name), task)) for task in tasks)
    return found


def width(topology: Topology, name: OperatorName) -> int:
    widths = {one.name: one.parallelism for one in topology.sources} | {one.name: one.parallelism for one in topology.operators}
    return widths[name]
