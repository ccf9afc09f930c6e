"""One pass: every operator's function over its sample epochs, in a process of its own.

Why: two passes in two processes have different hash seeds, time zones and clocks; the second also gets its rows in another order. It
reads what the first has computed, so that an operator is not blamed for what another does.
Called by: `python -m levee_spark.check PASS.json`, which `running` starts.
"""

import functools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from levee.topology import load
from levee.topology.convert import convert
from levee.topology.spec import Resource
from levee.topology.streams import Operator
from levee.topology.timing import period_s
from levee_spark.check import plans
from levee_spark.check.finding import Finding, Weight, write
from levee_spark.check.lines import unrepeatable
from levee_spark.check.order import PassOrder
from levee_spark.check.samples import START, NoSample, Samples
from levee_spark.ingest.function import CannotIngest
from levee_spark.lane import rows
from levee_spark.lane.query import Function, Lane, LaneInput
from levee_spark.lane.trouble import Failed, Trouble
from levee_spark.spark.scratch import scratch
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size
from levee_spark.worker.function import NoFunction, put_beside
from levee_spark.worker.function import load as load_function
from levee_spark.worker.operating import sample

HEAP_MIB = 384
LIMIT_S = 60.0
SAMPLE_FIX = "give some as --sample DIR, with DIR/{0}.parquet or a folder DIR/{0}/ with a file for each epoch"


@dataclass
class Pass:
    order: PassOrder
    resource: Resource
    session: SparkSession
    place: Path
    findings: list[Finding] = field(default_factory=list)

    def run(self) -> None:
        for source in () if self.order.given else self.resource.spec.sources:
            try:
                self.keep(source.name, self.samples().of_source(source))
            except (NoSample, CannotIngest) as wrong:
                self.found(source.name, Weight.UNCHECKED, str(wrong).partition("\n")[0], SAMPLE_FIX.format(source.name))
        by_name = {one.name: one for one in self.resource.spec.operators}
        for operator in convert(self.resource).operators:
            self.check(by_name[operator.name])
        self.order.at.unlink(missing_ok=True)
        write(self.order.findings, self.findings)

    def samples(self) -> Samples:
        return Samples(self.order.epochs, period_s(self.resource.spec), self.order.sample)

    def check(self, operator: Operator) -> None:
        inputs = {one.origin: self.epochs_of(one.origin) for one in operator.inputs}
        missing = [name for name, epochs in inputs.items() if not epochs]
        if missing:
            wrong = f"was not run: there are no epochs of {', '.join(missing)}"
            self.found(operator.name, Weight.UNCHECKED, wrong, "see what is said of it, or " + SAMPLE_FIX.format(missing[0]))
            return
        try:
            function = load_function(operator.function, self.order.beside)
        except NoFunction as wrong:
            what, _, fix = str(wrong).partition(" Fix: ")
            self.found(operator.name, Weight.WRONG, what, fix)
            return
        self.order.at.write_text(f"'{operator.name}' ({operator.function})")
        self.warn(operator, function)
        self.compute(operator, function, inputs)

    def compute(self, operator: Operator, function: Function, inputs: dict[str, list[pa.Table]]) -> None:
        watched = self.watched(operator, function)
        names = tuple(LaneInput(name) for name in inputs)
        lane = Lane(self.session, self.place / operator.name, self.place, operator.name, watched, names, limit_s=LIMIT_S)
        outputs: list[pa.Table] = []
        tables: list[pa.Table] = []
        try:
            for tables in aligned(list(inputs.values())):
                outputs.append(lane.compute(lane.epoch + 1, self.time_ms(lane.epoch + 1), tables).table)
            tables = [table.slice(0, 0) for table in tables]
            if lane.keeps_state():  # what windows and timers hold back would never be compared
                outputs.append(lane.compute(lane.epoch + 1, self.time_ms(lane.epoch + 1), tables, closing=True).table)
        except (Failed, Trouble) as failed:
            samples = [sample(name, table) for name, table in zip(inputs, tables, strict=True)]
            what, *lines = str(failed).splitlines()
            detail = "\n".join([*lines, *samples])
            self.found(operator.name, Weight.WRONG, f"epoch {lane.epoch + 1}: {what}", "mend the function", detail=detail)
        finally:
            lane.close()
        self.keep(operator.name, outputs)

    def time_ms(self, epoch: int) -> int:
        return round(1_000 * (START.timestamp() + epoch * period_s(self.resource.spec)))

    def watched(self, operator: Operator, function: Function) -> Function:
        @functools.wraps(function)
        def watch(frames: dict[str, DataFrame]) -> DataFrame:
            frame: object = function(frames)
            if isinstance(frame, DataFrame) and not self.order.given:
                told = plans.findings_of(operator.name, function, frame)
                self.findings.extend(one for one in told if one not in self.findings)  # it is defined again for the last epoch
            return frame  # type: ignore[return-value]  # the lane looks at it

        return watch

    def warn(self, operator: Operator, function: Function) -> None:
        for call in () if self.order.given else unrepeatable(function):
            wrong = f"{call.name} gives something else in each replica"
            self.found(operator.name, Weight.WARNING, wrong, "if rows depend on it: use _epoch_time, or derive it from the row", call.place)

    def found(self, operator: str, weight: Weight, wrong: str, fix: str, place: str = "", detail: str = "") -> None:
        self.findings.append(Finding(operator, weight, wrong, fix, place, detail))

    def keep(self, stream: str, epochs: list[pa.Table]) -> None:
        folder = self.order.folder / stream
        folder.mkdir(parents=True)
        for epoch, table in enumerate(epochs, start=1):
            (folder / f"{epoch:06d}.arrow").write_bytes(rows.encode(table))

    def epochs_of(self, stream: str) -> list[pa.Table]:
        """Where the first pass has left them; in another order for the second."""
        found = [rows.decode(file.read_bytes()) for file in sorted(((self.order.given or self.order.folder) / stream).glob("*.arrow"))]
        return [mixed(table, epoch) for epoch, table in enumerate(found)] if self.order.given else found


def aligned(inputs: Sequence[Sequence[pa.Table]]) -> Iterator[list[pa.Table]]:
    """What an operator that has closed emits comes an epoch later than what sources do: the others have no rows then."""
    for epoch in range(max(map(len, inputs))):
        yield [one[epoch] if epoch < len(one) else one[-1].slice(0, 0) for one in inputs]


def mixed(table: pa.Table, epoch: int) -> pa.Table:
    """Backwards, and then as it falls: two rows change places for certain."""
    places = np.random.default_rng(epoch).permutation(table.num_rows) if table.num_rows > 2 else np.arange(table.num_rows)[::-1]
    return table.take(pa.array(places))


@contextmanager
def opened(order: PassOrder) -> Iterator[Pass]:
    put_beside(order.beside)
    [loaded] = load.load_bytes(order.resource.read_bytes(), origin=str(order.resource))
    assert loaded.resource is not None
    with tempfile.TemporaryDirectory(prefix="levee-check-", ignore_cleanup_errors=True) as place, scratch(order.folder) as own:
        session, jvm = open_session(Size(HEAP_MIB), loaded.resource.spec.spark_conf, order.folder / "spark.log", scratch=own)
        try:
            yield Pass(order, loaded.resource, session, Path(place))
        finally:
            jvm.process.kill()
            jvm.process.wait()
