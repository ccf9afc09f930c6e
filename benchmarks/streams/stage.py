"""A store with a topology's control log and input epochs, made by hand: so that one thing can be measured without all the others.

Called by: lane_time and density.
"""

import uuid
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from benchmarks.streams.functions import table
from levee.topology.load import load_bytes
from levee.topology.names import OperatorName, TaskId
from levee.topology.spec import Resource
from levee_spark.lane.rows import encode
from levee_spark.log import control
from levee_spark.log.digest import lineage
from levee_spark.log.requests import Done, PutIfAbsent
from levee_spark.log.values import GENESIS, EpochObject, Kind, Live, Manifest, Shape
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import wiring_of

OPERATOR, SOURCE = OperatorName("calc"), "numbers"
NAMES = {"filter": "benchmarks.streams.functions:filter_rows", "windowed": "benchmarks.streams.functions:windowed"}

TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: bench}}
spec:
  store: {{uri: "{store}"}}
  epoch: {{period: {period_ms}ms, maxRows: {rows_max}}}
  sources:
  - {{name: numbers, spark: {{format: rate}}, configurations: [{{rate: 100}}], parallelism: {width}}}
  operators:
  - {{name: calc, function: "{function}", parallelism: {width}, inputs: [{{from: numbers, cost: 1us}}]}}
  sinks: [{{name: out, from: calc, spark: {{format: json, options: {{path: /nowhere}}}}}}]
  faultTolerance: {{strategy: none}}
"""


@dataclass
class Stage:
    """One operator of `width` tasks; each reads a task of the source, which nobody runs: its epochs are put here."""

    folder: Path
    function: str  # a name in NAMES
    rows: int  # of an epoch
    period_ms: int = 250
    width: int = 1
    uid: str = field(default_factory=lambda: uuid.uuid4().hex)
    lineages: dict[TaskId, str] = field(default_factory=dict)

    @cached_property
    def resource_file(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        text = TOPOLOGY.format(
            store=(self.folder / "store").as_uri(),
            period_ms=self.period_ms,
            rows_max=max(100_000, self.rows),
            function=NAMES[self.function],
            width=self.width,
        )
        path = self.folder / "topology.yaml"
        path.write_text(text)
        return path

    @cached_property
    def resource(self) -> Resource:
        [loaded] = load_bytes(self.resource_file.read_bytes(), origin="bench")
        assert loaded.resource is not None, loaded
        return loaded.resource

    @cached_property
    def wiring(self) -> Wiring:
        return wiring_of(self.resource, self.uid)

    @cached_property
    def driver(self) -> StoreDriver:
        return StoreDriver(open_store(self.resource.spec.store.uri))

    def open(self) -> None:
        """The first control record: replica 0 of every task is active."""
        ranks = tuple((f"{OPERATOR}/{index}/0", 0) for index in range(self.width))
        record = control.first(Shape(((OPERATOR, NAMES[self.function]),), "bench"), Live(ranks), "bench")
        assert drive(control.write(self.wiring.layout, record), self.driver)

    def put(self, epoch: int) -> None:
        """An epoch of every task of the source."""
        made = table(epoch, self.rows, self.period_ms)
        payload = encode(made)
        for index in range(self.width):
            self.put_of(TaskId(f"{SOURCE}/{index}"), epoch, made, payload)

    def put_of(self, task: TaskId, epoch: int, made: pa.Table, payload: bytes) -> None:
        self.lineages[task] = lineage(self.lineages.get(task, GENESIS), str(epoch))
        manifest = Manifest(
            epoch,
            Kind.FINAL,
            made.num_rows,
            str(epoch),
            self.lineages[task],
            control.FIRST,
            "bench",
            time_ms=epoch * self.period_ms,
            offsets=str(epoch),
        )
        answer = self.driver.answer(PutIfAbsent(self.wiring.layout.epoch(task, epoch), EpochObject(manifest, payload)))
        assert isinstance(answer, Done), answer
