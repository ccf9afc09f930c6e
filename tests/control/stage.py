"""A topology of four tasks on three nodes, and how it may look at a moment.

Called by: the tests of control.
"""

from collections.abc import Iterable
from dataclasses import replace

from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Observation, Phase, ReplicaSeen, Status, WorkerSeen
from levee.control.wanted import Patience, Placed, Wanted
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId
from levee_spark.log import control
from levee_spark.log.values import ControlRecord, Live, Shape

NOW = Instant(1_000_000)
LOW, HIGH = ConfigurationName("low"), ConfigurationName("high")
MARKET = OperatorName("market")
SHAPE = Shape(((OperatorName("vwap"), "bargains:vwap"),), "graph")
NODES = tuple(NodeName(f"node-{n}") for n in (1, 2, 3))


def replicas(*names: str) -> frozenset[ReplicaName]:
    return frozenset(map(ReplicaName, names))


ALWAYS = replicas("market/0/0", "market/0/1", "vwap/0/0", "index/0/0", "out/0/0", "out/0/1")
PLACED = (
    Placed(WorkerName("node-1-0"), NODES[0], (ReplicaName("market/0/0"), ReplicaName("vwap/0/0"), ReplicaName("out/0/0"))),
    Placed(WorkerName("node-2-0"), NODES[1], (ReplicaName("market/0/1"), ReplicaName("vwap/0/1"), ReplicaName("index/0/0"))),
    Placed(WorkerName("node-3-0"), NODES[2], (ReplicaName("index/0/1"), ReplicaName("out/0/1"))),
)
WANTED = Wanted(
    shape=SHAPE,
    sources=(TaskId("market/0"),),
    workers=PLACED,
    configurations=(Configuration(LOW, 0.8, {MARKET: 100.0}), Configuration(HIGH, 0.2, {MARKET: 200.0})),
    active={LOW: ALWAYS | replicas("vwap/0/1", "index/0/1"), HIGH: ALWAYS},
    patience=Patience(failure_ms=5_000),
)
FULL = tuple((replica, rank) for task in WANTED.replicas.values() for rank, replica in enumerate(task))
RECORD = replace(control.first(SHAPE, Live(FULL), "controller"), number=7)


def record(ranks: Iterable[tuple[str, int]] = FULL, *, stopped: bool = False) -> ControlRecord:
    return replace(RECORD, live=Live(tuple(ranks)), shape=replace(SHAPE, stopped=stopped))


def running(replica: ReplicaName, **changes: object) -> ReplicaSeen:
    return replace(ReplicaSeen(replica, Status.RUNNING, epoch=100, rank=0), **changes)  # type: ignore[arg-type]


def worker(placed: Placed, phase: Phase = Phase.READY, *, ago_ms: int = 0, lived_ms: int = 600_000, **changes: object) -> WorkerSeen:
    """In its phase since `ago_ms`, after a life of `lived_ms`."""
    since = Instant(NOW - ago_ms)
    states = () if phase is Phase.STARTING else tuple(map(running, placed.replicas))
    seen = WorkerSeen(placed.worker, placed.node, placed.replicas, 1, phase, since, Instant(since - lived_ms), 0, states)
    return replace(seen, **changes)  # type: ignore[arg-type]


HEALTHY = Observation(
    nodes=tuple(NodeSeen(node, alive=True, since=Instant(0)) for node in NODES),
    workers=tuple(map(worker, PLACED)),
    record=RECORD,
    opened=True,
    anchored=True,
    configuration=LOW,
    rates={MARKET: 90.0},
)


def seeing(base: Observation = HEALTHY, **changes: object) -> Observation:
    """The healthy one, but for what is said."""
    return replace(base, **changes)  # type: ignore[arg-type]


def with_worker(index: int, changed: WorkerSeen, base: Observation = HEALTHY) -> Observation:
    workers = list(base.workers)
    workers[index] = changed
    return replace(base, workers=tuple(workers))


def with_dead_node(index: int, *, ago_ms: int, base: Observation = HEALTHY) -> Observation:
    """All of it at once: the node and its worker."""
    nodes = list(base.nodes)
    nodes[index] = NodeSeen(NODES[index], alive=False, since=Instant(NOW - ago_ms))
    return replace(with_worker(index, worker(PLACED[index], Phase.ENDED, ago_ms=ago_ms), base), nodes=tuple(nodes))
