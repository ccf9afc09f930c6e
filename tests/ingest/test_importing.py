"""Rows of another topology's stream: all of them, once, in their order, whoever ingests them; and what is said where they cannot come."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Timer

import pyarrow as pa
import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.ingest.importing import Importing, Terms
from levee_spark.lane import rows
from levee_spark.log import control, exporter, registration
from levee_spark.log.clock import StoreClock
from levee_spark.log.imports import Keeper, Reached
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.registration import Importer, Registrar
from levee_spark.log.requests import Computed, Done, PutIfAbsent, Raised
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import ChangeEpoch, EpochObject, Floor, Imported, Kind, Live, Manifest, Record, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared

TIMES = Times(10, 10, 500, 5_000, 0, 1, 60_000, 9, 9)
THERE, HERE = Layout("shop/clicks", "u1"), Layout("shop/orders", "u2")
SOURCE, STREAM = TaskId("clicks/0"), OperatorName("pairs")
DRAWN = '{"operators": {"pairs": [%d, []]}, "sources": {"web": 1}}'


@dataclass
class Shop:
    """An exporter, written by hand, and the other topology's source."""

    root: Path
    driver: StoreDriver = field(init=False)
    told: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.driver = StoreDriver(open_store(self.root.as_uri(), durable=False), looks_ahead=False, shared=Shared(0))

    def put(self, key: str, record: Record) -> None:
        assert isinstance(self.driver.answer(PutIfAbsent(key, record)), Done)

    def begins(self, width: int = 1, uid: str = "u1") -> None:
        live = Live((("web/0/0", 0), *((f"pairs/{index}/0", 0) for index in range(width))))
        self.put(Layout("shop/clicks", uid).control(1), control.first(Shape(graph=DRAWN % width), live, "test"))

    def epoch(
        self, number: int, *values: int, task: int = 0, uid: str = "u1", position: int = 1, ended: int = 0, skipped: bool = False
    ) -> None:
        table = pa.table({"n": pa.array(values, pa.int64())})
        kind = Kind.SKIPPED if skipped else Kind.FINAL
        manifest = Manifest(number, kind, len(values), "d", "l", position, "w", ended=ended)
        payload = None if skipped else rows.encode(table)
        self.put(Layout("shop/clicks", uid).epoch(TaskId(f"pairs/{task}"), number), EpochObject(manifest, payload))

    def trim(self, below: int) -> None:
        self.put(THERE.floor(TaskId("pairs/0"), 1), Floor(1, below))
        for number in range(1, below):
            (self.root / THERE.epoch(TaskId("pairs/0"), number)).unlink()

    def source(self, **more: object) -> Importing:
        wanted = Imported(OperatorName("clicks"), "shop/clicks", "", STREAM)
        importer = Importer(HERE, "shop/orders", SOURCE)
        self.numbers["made"] = self.numbers.get("made", 0) + 1
        terms = Terms(Wiring(HERE, TIMES, {}), importer, wanted, f"w{self.numbers['made']}", 60_000, 100)
        return Importing(replace(terms, **more), self.driver, self.told.append)  # type: ignore[arg-type]

    def trimmer(self) -> Trimmer:
        task = TaskWiring(TaskId("pairs/0"), STREAM, (TaskId("web/0"),), keep=1)
        sink = TaskWiring(TaskId("out/0"), OperatorName("out"), (TaskId("pairs/0"),), sink=True, keep=1)
        return Trimmer(Wiring(THERE, TIMES, {task.task: task, sink.task: sink}), task, "t")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "store")


def ingested(source: Importing, offsets: str | None = None, epoch: int = 1) -> Computed:
    computed = source.ingest(epoch, offsets)
    assert isinstance(computed, Computed), computed
    return computed


def values(computed: Computed) -> list[int]:
    assert isinstance(computed.payload, bytes)
    found: list[int] = rows.decode(computed.payload)["n"].to_pylist()
    return found


def test_an_epoch_holds_the_exporters_epochs_that_are_there_and_the_next_goes_on_after_them(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, 1, 2)
    shop.epoch(2, 3)
    source = shop.source()
    first = ingested(source)
    nothing = ingested(source, first.offsets, 2)
    shop.epoch(3, skipped=True)
    shop.epoch(4, 4)
    last = ingested(source, nothing.offsets, 3)
    assert [values(one) for one in (first, nothing, last)] == [[1, 2, 3], [], [4]]
    assert Reached.of(last.offsets or "") == Reached("u1", 2, 4)


def test_another_ingestor_goes_on_where_the_committed_epoch_ended(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, 1)
    first = ingested(shop.source())
    shop.epoch(2, 2)
    lost_the_race, winner = shop.source(), shop.source()
    assert values(ingested(lost_the_race, first.offsets)) == [2]
    shop.epoch(3, 3)
    committed = ingested(winner, first.offsets)
    assert values(committed) == [2, 3]
    assert values(ingested(lost_the_race, committed.offsets)) == []


def test_the_epochs_of_all_tasks_come_together(shop: Shop) -> None:
    shop.begins(width=2)
    shop.epoch(1, 1, task=0)
    shop.epoch(1, 2, task=1)
    shop.epoch(2, 3, task=0)
    first = ingested(source := shop.source())
    assert values(first) == [1, 2]
    shop.epoch(2, 4, task=1)
    assert values(ingested(source, first.offsets, 2)) == [3, 4]


@pytest.mark.parametrize(("was", "now"), [(1, 2), (2, 1)])
def test_an_exporter_with_another_parallelism_is_followed_from_the_epoch_on_that_it_holds(shop: Shop, was: int, now: int) -> None:
    shop.begins(width=was)
    for task in range(was):
        shop.epoch(1, 10 + task, task=task)
        shop.epoch(2, 20 + task, task=task)
    before = control.first(Shape(graph=DRAWN % was), Live((("web/0/0", 0),)), "test")
    shop.put(THERE.control(2), control.successor(before, "test", shape=Shape(graph=DRAWN % now)))
    source = shop.source()
    first = ingested(source)
    for task in range(now):
        shop.epoch(3, 30 + task, task=task, position=2)
    assert values(ingested(source, first.offsets, 2)) == [], "nobody knows yet from which epoch on it holds"
    shop.put(THERE.change(2), ChangeEpoch(2, 3))
    later = ingested(source, first.offsets, 2)
    assert values(first) == [10 * epoch + task for epoch in (1, 2) for task in range(was)]
    assert values(later) == [30 + task for task in range(now)]


def test_an_epoch_is_bounded_and_what_waits_is_counted(shop: Shop) -> None:
    shop.begins()
    for number in range(1, 6):
        shop.epoch(number, *range(10 * number, 10 * number + 4))
    source = shop.source(rows_max=10)
    first = ingested(source)
    assert (first.rows, source.counters.waiting_rows, source.counters.offered_rows) == (8, 12, 8), (
        "what was there before is not offered anew"
    )
    second = ingested(source, first.offsets, 2)
    assert (second.rows, source.counters.waiting_rows, source.counters.offered_rows) == (8, 4, 8)


def test_what_the_exporter_adds_while_rows_wait_is_offered(shop: Shop) -> None:
    shop.begins()
    for number in range(1, 4):
        shop.epoch(number, *range(10 * number, 10 * number + 4))
    source = shop.source(rows_max=4)
    first = ingested(source)
    for number in range(4, 7):
        shop.epoch(number, *range(10 * number, 10 * number + 4))
    second = ingested(source, first.offsets, 2)
    assert (second.rows, source.counters.waiting_rows, source.counters.offered_rows) == (4, 16, 16)


def test_tasks_of_a_parallel_source_share_the_rows(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, *range(10))
    parts = [values(ingested(shop.source(task=task, tasks=3))) for task in range(3)]
    assert sorted(value for part in parts for value in part) == list(range(10))
    assert all(parts)


def test_an_exporter_that_ends_ends_the_source(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, 1)
    shop.epoch(2, ended=2)
    first = ingested(source := shop.source())
    assert (values(first), first.ended) == ([1], True)
    again = ingested(source, first.offsets, 2)
    assert (values(again), again.ended) == ([], True)


def test_it_begins_with_what_comes_if_that_is_wanted(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, 1)
    first = ingested(source := shop.source(at_the_end=True))
    shop.epoch(2, 2)
    assert (values(first), values(ingested(source, first.offsets, 2))) == ([], [2])


def test_while_the_exporter_is_not_there_it_says_so_and_begins_when_it_is(shop: Shop) -> None:
    waits: list[str] = []
    source = shop.source()

    def comes(what: str) -> None:
        waits.append(what)
        if len(waits) == 1:
            shop.begins()
        elif what:
            Timer(0, shop.epoch, (1, 7)).start()

    source.tell = comes
    assert values(ingested(source)) == [7]
    assert waits[0] == "there is no topology shop/clicks in this store yet"
    assert "shop/clicks has no epoch of 'pairs' yet" in waits
    assert waits[-1] == ""


def test_a_topology_that_is_made_again_is_another_one(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, 1)
    first = ingested(shop.source())
    shop.begins(uid="u9")
    shop.epoch(1, 9, uid="u9")
    assert values(ingested(shop.source(), first.offsets, 2)) == []
    wanted = Imported(OperatorName("other"), "shop/clicks", "", STREAM)
    refused = shop.source(wanted=wanted).ingest(1, None)
    assert isinstance(refused, Raised)
    assert "the store holds several of that name: u1, u9" in refused.error
    assert values(ingested(shop.source(wanted=replace(wanted, uid="u9")))) == [9]


@pytest.mark.parametrize(
    ("stream", "wrong"),
    [
        ("nobody", "imports 'nobody', which shop/clicks does not emit"),
        ("web", "has begun with 'pairs' of shop/clicks (uid u1), and now names"),
    ],
)
def test_a_stream_that_is_not_there_or_another_than_before_is_refused(shop: Shop, stream: str, wrong: str) -> None:
    shop.begins()
    shop.epoch(1, 1)
    if stream == "web":
        ingested(shop.source())
    refused = shop.source(wanted=Imported(OperatorName("clicks"), "shop/clicks", "", OperatorName(stream))).ingest(1, None)
    assert isinstance(refused, Raised)
    assert wrong in refused.error


def test_what_was_trimmed_before_it_was_imported_is_named(shop: Shop) -> None:
    shop.begins()
    shop.epoch(1, 1)
    first = ingested(shop.source())
    for number in range(2, 6):
        shop.epoch(number, number)
    for file in (shop.root / THERE.registrations(STREAM)).iterdir():
        file.unlink()
    shop.trim(4)
    refused = shop.source().ingest(2, first.offsets)
    assert isinstance(refused, Raised)
    assert refused.error.startswith(
        "epochs 2 to 3 of 'pairs' of shop/clicks were trimmed before they were imported: the lease had run out."
    )
    assert values(ingested(shop.source(fails_on_loss=False), first.offsets, 2)) == [4, 5]
    assert "are passed over" in shop.told[-1]


def test_an_exporter_that_was_stopped_or_is_gone_is_told(shop: Shop) -> None:
    known = Imported(OperatorName("clicks"), "shop/clicks", "u1", STREAM)
    assert drive(exporter.stands_still(THERE, known, 7), shop.driver) == "shop/clicks has no epoch of 'pairs' after 7: its data are gone"
    shop.begins()
    assert drive(exporter.stands_still(THERE, known, 7), shop.driver) == "shop/clicks has no epoch of 'pairs' after 7 yet"
    before = control.first(Shape(), Live(), "test")
    shop.put(THERE.control(2), replace(control.successor(before, "test", shape=Shape(stopped=True)), reason="levee stop"))
    assert drive(exporter.stands_still(THERE, known, 7), shop.driver).endswith("after 7: it was stopped (levee stop)")


def test_an_epoch_can_be_read_again(shop: Shop) -> None:
    shop.begins()
    for number in (1, 2, 3):
        shop.epoch(number, number)
    first = ingested(source := shop.source(rows_max=2))
    assert first.offsets is not None
    again = shop.source().again(1, None, first.offsets)
    assert isinstance(again, Computed)
    assert (again.payload, again.digest, again.offsets) == (first.payload, first.digest, first.offsets)
    source.stop()
    assert isinstance(source.ingest(2, first.offsets), Raised)


def test_what_has_yet_to_be_imported_is_not_trimmed_and_who_imports_is_known(shop: Shop) -> None:
    shop.begins()
    for number in range(1, 9):
        shop.epoch(number, number)
    source = shop.source(rows_max=3)
    first = ingested(source)
    shop.put(HERE.epoch(SOURCE, 1), EpochObject(Manifest(1, Kind.FINAL, 3, "d", "l", 1, "w", offsets=first.offsets)))
    keeper = Keeper(source.terms.wiring, source.terms.importer, source.terms.wanted, "k", 60_000)
    drive(keeper.look(), shop.driver)
    trimmer = shop.trimmer()
    drive(trimmer.ask_time(), shop.driver)
    assert drive(trimmer.oldest_pinned(8), shop.driver) in {0, 3}
    now = trimmer.clock
    assert isinstance(now, StoreClock)
    assert drive(registration.importers(THERE, now), shop.driver) == ("shop/orders",)
    drive(registration.release(THERE, STREAM, "u2"), shop.driver)
    assert drive(trimmer.oldest_pinned(8), shop.driver) == 8


def test_a_lease_that_has_run_out_holds_nothing(shop: Shop) -> None:
    registrar = Registrar(THERE, STREAM, Importer(HERE, "shop/orders", SOURCE), "h", 60_000, 1)
    assert drive(registrar.keep(3, (TaskId("pairs/0"),)), shop.driver)
    trimmer = shop.trimmer()
    drive(trimmer.ask_time(), shop.driver)
    assert drive(trimmer.oldest_pinned(8), shop.driver) == 3
    assert trimmer.clock is not None
    trimmer.clock = replace(trimmer.clock, low_ms=trimmer.clock.low_ms + 90_000, high_ms=trimmer.clock.high_ms + 90_000)
    assert drive(trimmer.oldest_pinned(8), shop.driver) == 8
