"""The topology of PPA's Figure 6, scaled, and where its replicas stand.

Why: there 16 source tasks feed a binary tree of 8, 4, 2 and 1 tasks on 36 machines; here all of it is on one machine, so the tasks and
the source rates are divided by RECOVERY_SCALE. What fails and what survives stands on nodes of their own, as there.
Called by: recovery.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.streams.settings import PERIOD_MS, RECOVERY_SCALE
from levee.cli.local.start import Ask, setup_of
from levee.control import placing
from levee.control.names import ReplicaName, task_of
from levee.control.wanted import Wanted
from levee.topology.names import NodeName
from levee.worlds.local.opening import Setup
from levee_spark.log.wiring import Wiring

SOURCES = 16 // RECOVERY_SCALE
WIDTHS = tuple(max(1, width // RECOVERY_SCALE) for width in (8, 4, 2, 1))
SOURCE_NODES = (NodeName("sources-1"), NodeName("sources-2"))
PRIMARY_NODES = (NodeName("primary-1"), NodeName("primary-2"))
BACKUP = NodeName("backup")
FAILED_TASK = "o1/0"  # has primary-1 for itself
NEVER = 100_000  # epochs between checkpoints: no checkpoint at all
FAILURE_TIMEOUT_S = 120  # the machine must not start a lost node's workers elsewhere while others recover

HEAD = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: figure-6}}
spec:
  store: {{uri: "{store}"}}
  epoch: {{period: {period_ms}ms, hold: 100ms}}
  sources:
  - name: o0
    parallelism: {sources}
    spark: {{format: replay, options: {{generator: "benchmarks.streams.functions:rows", ratePerS: "{rate}", periodMs: "{period_ms}"}}}}
    configurations: [{{rate: {total}}}]
  operators:
"""
OPERATOR = """\
  - name: o{level}
    parallelism: {width}
    function: "benchmarks.streams.functions:window_{window_s}"
    inputs: [{{from: o{before}, cost: 1us}}]
"""
TAIL = """\
  sinks: [{{name: out, from: o4, spark: {{format: json, options: {{path: "{out}"}}}}}}]
  faultTolerance: {{strategy: {strategy}, checkpoint: {{every: {every}}}, failureTimeout: {failure_timeout_s}s}}
  placement: {{nodes: [{nodes}]}}
"""


@dataclass(frozen=True, slots=True)
class Case:
    technique: str  # active | checkpoint | replay | ingestor
    failure: str  # single | all
    window_s: int
    rate: int  # as PPA has it: of each of its source tasks
    every_s: int  # between checkpoints; 0: none

    @property
    def is_active(self) -> bool:
        return self.technique in {"active", "ingestor"}

    @property
    def every_epochs(self) -> int:
        return max(1, 1000 * self.every_s // PERIOD_MS) if self.every_s else NEVER

    def nodes(self) -> tuple[NodeName, ...]:
        sources = SOURCE_NODES if self.technique == "ingestor" else SOURCE_NODES[:1]
        return (*sources, *PRIMARY_NODES, BACKUP)

    def victims(self) -> tuple[NodeName, ...]:
        if self.technique == "ingestor":
            return SOURCE_NODES[:1]
        return PRIMARY_NODES[:1] if self.failure == "single" else PRIMARY_NODES

    def survivors(self) -> NodeName:
        """Where the other replicas of what fails are."""
        return SOURCE_NODES[1] if self.technique == "ingestor" else BACKUP


def text_of(case: Case, work: Path) -> str:
    rate = case.rate // RECOVERY_SCALE
    values = {
        "store": (work / "store").as_uri(),
        "out": work / "out",
        "period_ms": PERIOD_MS,
        "sources": SOURCES,
        "rate": rate,
        "total": rate * SOURCES,
        "window_s": case.window_s,
        "strategy": "static" if case.is_active else "none",
        "every": case.every_epochs,
        "failure_timeout_s": FAILURE_TIMEOUT_S,
        "nodes": ", ".join(f"{{name: {node}}}" for node in case.nodes()),
    }
    levels = [OPERATOR.format(level=n, before=n - 1, width=width, **values) for n, width in enumerate(WIDTHS, start=1)]
    return HEAD.format(**values) + "".join(levels) + TAIL.format(**values)


def setup(case: Case, work: Path) -> Setup:
    file = work / "figure-6.yaml"
    file.write_text(text_of(case, work))
    made = setup_of(Ask(str(file), directory=str(work / "run"), anyway=True))
    return replace(made, want=lambda wiring: placed(made.want(wiring), wiring, case), nodes=case.nodes())


def placed(wanted: Wanted, wiring: Wiring, case: Case) -> Wanted:
    """Sources, primaries and their replicas each on nodes of their own; sinks with the sources, which have standbys only if they fail.
    Where one replica is active, the plan is free to take the other one: here it is the one that fails."""
    all_homes = {replica: home(replica, wiring) for replicas in wanted.replicas.values() for replica in replicas}
    homes = {replica: node for replica, node in all_homes.items() if node in case.nodes()}
    computing = frozenset(one for one, node in homes.items() if case.is_active or node != BACKUP)
    return replace(wanted, workers=placing.packed(homes, case.nodes(), 1), active=dict.fromkeys(wanted.active, computing))


def home(replica: ReplicaName, wiring: Wiring) -> NodeName:
    task, number = task_of(replica), int(replica.rpartition("/")[2])
    if wiring.tasks[task].is_source or wiring.tasks[task].sink:
        return SOURCE_NODES[number]
    if number > 0:
        return BACKUP
    return PRIMARY_NODES[0 if task == FAILED_TASK else 1]
