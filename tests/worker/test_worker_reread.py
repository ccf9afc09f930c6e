"""A source's epoch is spoilt on the disk: its ingestor reads it again for whoever needs it, who goes on with the same rows."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from levee.topology.names import OperatorName, TaskId
from levee_spark.ingest.replay import Replay
from levee_spark.log.digest import lineage
from levee_spark.log.inputs import Inputs
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.requests import Answer, Computed, Done, Ingest, PutIfAbsent, Report, Request
from levee_spark.log.reread import Rereader
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.assembly import Ingesting
from levee_spark.worker.operating import table_of

SOURCE, READER = TaskId("numbers/0"), TaskId("double/0")
TIMES = Times(
    period_ms=10, hold_ms=1, deadline_ms=20, failure_timeout_ms=1, retention_ms=60_000, poll_ms=5, pin_ms=60_000, lead=5, backlog=5
)
SPOILT = 2


def numbers(epoch: int, _options: Mapping[str, str], _task: int, _tasks: int) -> pa.Table:
    return pa.table({"n": [epoch, 10 * epoch]})


def wiring() -> Wiring:
    tasks = {SOURCE: TaskWiring(SOURCE, OperatorName("numbers")), READER: TaskWiring(READER, OperatorName("double"), (SOURCE,))}
    return Wiring(Layout("tests/reread", "u"), TIMES, tasks)


def written(wired: Wiring, driver: StoreDriver, source: Replay) -> None:
    before = GENESIS
    for epoch in (1, 2, 3):
        made = source.ingest(epoch, None)
        assert isinstance(made, Computed)
        before = lineage(before, made.digest)
        manifest = Manifest(epoch, Kind.FINAL, made.rows, made.digest, before, 1, "w", offsets=made.offsets)
        assert isinstance(driver.answer(PutIfAbsent(wired.layout.epoch(SOURCE, epoch), EpochObject(manifest, made.payload))), Done)


def told(request: Request) -> Answer:
    assert isinstance(request, Report)
    return Done(0, 0)


def test_a_spoilt_epoch_of_a_source_is_read_again_for_whoever_needs_it(tmp_path: Path) -> None:
    wired, source = wiring(), Replay(numbers, {}, 0, 1)
    written(wired, StoreDriver(open_store(tmp_path.as_uri(), durable=False)), source)
    path = tmp_path / wired.layout.epoch(SOURCE, SPOILT)
    path.write_bytes(path.read_bytes()[:-1] + b"?")

    driver = StoreDriver(open_store(tmp_path.as_uri(), durable=False))
    inputs = Inputs(wired, wired.tasks[READER], "reader")
    assert drive(inputs.gather(SPOILT), driver, work=told) is None  # it has said that it needs it
    ingesting = Ingesting(source)

    def work(request: Request) -> Answer:
        return ingesting(request) if isinstance(request, Ingest) else told(request)

    drive(Rereader(wired, SOURCE, "ingestor").look(), driver, work=work)
    gathered = drive(inputs.gather(SPOILT), driver, work=told)
    assert gathered is not None
    assert table_of(gathered[0])["n"].to_pylist() == [SPOILT, 10 * SPOILT]
