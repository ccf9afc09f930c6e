"""The side of a dry run that has Spark: fork, compute one epoch, say what went wrong.

Called by: `python -m levee_spark.check.trying ORDER.json`, which `edits` starts; in a pod the order is in LEVEE_ORDER, as a worker's.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee_spark.check.edits import EditOrder
from levee_spark.check.finding import Finding, Weight, fitted, write
from levee_spark.check.recent import last_rows
from levee_spark.log import fork
from levee_spark.log.requests import Compute, Raised, Restore, Script
from levee_spark.log.values import EpochObject
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.spark import scratch
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.assembly import Parts, operating_of
from levee_spark.worker.function import NoFunction, load
from levee_spark.worker.logs import Log
from levee_spark.worker.order import Order, ReplicaName
from levee_spark.worker.wiring import wiring_of

T = TypeVar("T")

HEAP_MIB = 384
NAME = "edit"
ORDER = "LEVEE_ORDER"
KEPT_BYTES = 4_000  # of the last words of a container
FIX = {True: "mend the function, or say `state: discard` where its state is to begin anew", False: "mend the function"}  # with its state
EMPTY, NEWEST = Restore(1, ()), sys.maxsize  # after any epoch: at the first one a lane asks what its stream began with


@dataclass(frozen=True)
class Trial:
    order: EditOrder
    resource: Resource
    parts: Parts

    @property
    def wiring(self) -> Wiring:
        return self.parts.wiring

    def findings(self) -> Iterator[Finding]:
        for operator in self.resource.spec.operators:
            wrong = self.wrong_with(operator.name, operator.function) if operator.name in self.order.edited.all else None
            if wrong is not None:
                what, _, detail = wrong.partition("\n")
                yield Finding(operator.name, Weight.WRONG, what, FIX[operator.name in self.order.edited.kept], detail=detail)

    def wrong_with(self, operator: str, function: str) -> str | None:
        """None: nothing, or there is no row yet to try it on."""
        task = next(one for one in self.wiring.tasks.values() if one.operator == operator)
        state = self.state(task) if operator in self.order.edited.kept else EMPTY
        inputs = self.inputs(task, state)
        if inputs is None:
            return missing(function, Path(self.order.resource).parent)
        work = operating_of(self.parts, ReplicaName(task.task, 0), function, 1)
        work.crashes.most = 1  # whoever tries it can try it again
        try:
            work(state)
            answer = work(Compute(state.epoch + 1, inputs))
        finally:
            work.lane.close()
        return answer.error if isinstance(answer, Raised) else None

    def state(self, task: TaskWiring) -> Restore:
        """The newest that is published; none yet, and it begins with an empty one."""
        found = self.run(fork.newest(self.wiring, task.task, None, set()))
        files = self.run(fork.fetch(found)) if found is not None else None
        return EMPTY if found is None or files is None else Restore(found.epoch, files)

    def inputs(self, task: TaskWiring, state: Restore) -> tuple[EpochObject, ...] | None:
        """The next epoch of each, or else the last that has any rows, as if it were the next."""
        after = state.epoch + 1
        there = [self.run(last_rows(self.wiring, one, after if state != EMPTY else NEWEST)) for one in task.inputs]
        made = [replace(one, manifest=replace(one.manifest, epoch=after)) for one in there if one is not None]
        return tuple(made) if len(made) == len(there) else None

    def run(self, script: Script[T]) -> T:
        return drive(script, self.parts.driver)


def missing(function: str, folder: Path) -> str | None:
    try:
        load(function, folder)
    except NoFunction as wrong:
        return str(wrong)
    return None


@contextmanager
def opened(order: EditOrder) -> Iterator[Trial]:
    [loaded] = load_bytes(Path(order.resource).read_bytes(), origin=order.resource)
    assert loaded.resource is not None
    resource, place = loaded.resource, Path(order.folder)
    driver = StoreDriver(open_store(resource.spec.store.uri))
    own = scratch.make(place)
    session, jvm = open_session(Size(HEAP_MIB), resource.spec.spark_conf, place / "spark.log", scratch=own)
    name = f"{resource.metadata.namespace}/{resource.metadata.name}"
    try:
        parts = Parts(
            Order(Path(order.resource), order.uid, NAME, NAME, place, ()),
            resource,
            wiring_of(resource, order.uid),
            driver,
            place,
            lambda: session,
            Log(name, NAME),
        )
        yield Trial(order, resource, parts)
    finally:
        driver.close()
        jvm.process.kill()
        jvm.process.wait()
        own.clear()


def asked() -> EditOrder:
    return EditOrder.parse(Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else os.environ[ORDER])


def tell(order: EditOrder, findings: Sequence[Finding]) -> None:
    if order.answer:
        Path(order.answer).write_text(fitted(findings, KEPT_BYTES))
    else:
        write(Path(order.folder) / "findings.json", findings)


if __name__ == "__main__":
    with opened(asked()) as trial:
        tell(trial.order, tuple(trial.findings()))
    sys.stderr.flush()
    os._exit(0)  # threads of a function that never returned may still be there
