"""Streaming sources of Spark as epochs: nothing is lost or doubled, whoever goes on."""

import json
import os
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from levee_spark.ingest import notes, seen, waiting
from levee_spark.ingest.formats import share
from levee_spark.ingest.ingestion import Ingestion
from levee_spark.ingest.notes import FileNotes
from levee_spark.ingest.opening import Place, open_ingestion
from levee_spark.ingest.shelf import StoreShelf
from levee_spark.ingest.streaming import Streaming
from levee_spark.ingest.waiting import FilesWaiting
from levee_spark.lane import rows
from levee_spark.log.requests import Computed, Raised
from levee_spark.store.address import open_store

COUNTED = ("rate-micro-batch", {"rowsPerBatch": "10", "startTimestamp": "1000000"})  # 10 rows an epoch, the same for everybody


@dataclass
class Folder:
    """What a file source reads, and ingestors that are stopped in the end."""

    spark: SparkSession
    path: Path
    opened: list[Ingestion] = field(default_factory=list)

    def open(self, form: str, options: dict[str, str], task: int = 0, tasks: int = 1, max_rows: int = 1000) -> Ingestion:
        blobs = open_store((self.path / "store").as_uri(), durable=False)
        place = Place(lambda: self.spark, self.path / f"local-{len(self.opened)}", blobs, "seen", max_rows)
        self.opened.append(open_ingestion("in", form, options, place, task=task, tasks=tasks))
        return self.opened[-1]

    def files(self, **options: str) -> Ingestion:
        (self.path / "in").mkdir(exist_ok=True)
        given = {"path": str(self.path / "in"), "schema": "n BIGINT, at TIMESTAMP", "maxFilesPerTrigger": "1"}
        return self.open("json", given | options)

    def write(self, *numbers: int) -> None:
        for n in numbers:
            path = self.path / "in" / f"{n:03}.json"
            path.write_text(json.dumps({"n": n, "at": "2005-12-01T14:30:00.25+02:00"}) + "\n")
            os.utime(path, (1_000_000_000 + n, 1_000_000_000 + n))  # the oldest is read first


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> Iterator[Folder]:
    made = Folder(spark, tmp_path)
    yield made
    for ingestion in made.opened:
        ingestion.stop()


def computed(ingestion: Ingestion, epoch: int, offsets: str | None) -> Computed:
    answer = ingestion.ingest(epoch, offsets)
    assert isinstance(answer, Computed), answer
    return answer


def table(one: Computed) -> pa.Table:
    assert isinstance(one.payload, bytes)
    return rows.decode(one.payload)


def numbers(one: Computed, column: str = "n") -> list[int]:
    return sorted(table(one)[column].to_pylist())


def run(ingestion: Ingestion, first: int, last: int, offsets: str | None, before: Callable[[int], None] = lambda _: None) -> list[Computed]:
    epochs: list[Computed] = []
    for epoch in range(first, last + 1):
        before(epoch)
        epochs.append(computed(ingestion, epoch, epochs[-1].offsets if epochs else offsets))
    return epochs


def test_a_standby_reads_the_rows_that_the_primary_would_have_read(folder: Folder) -> None:
    epochs = run(folder.open(*COUNTED), 1, 4, None)
    standby = run(folder.open(*COUNTED), 3, 4, epochs[1].offsets)
    assert [numbers(one, "value") for one in epochs] == [list(range(10 * e, 10 * e + 10)) for e in range(4)]
    assert [table(one) for one in standby] == [table(one) for one in epochs[2:]]
    assert [one.digest for one in standby] == [one.digest for one in epochs[2:]]


def test_a_rate_goes_on_from_the_offsets_of_another_without_a_gap(folder: Folder) -> None:
    rate = ("rate", {"rowsPerSecond": "1000"})
    first = run(folder.open(*rate), 1, 2, None)
    second = run(folder.open(*rate), 3, 4, first[-1].offsets, before=lambda _: time.sleep(1.1))  # it gives whole seconds
    values = [value for one in first + second for value in numbers(one, "value")]
    assert values == list(range(len(values)))
    assert sum(one.rows for one in second) > 0


def test_an_idle_source_has_empty_epochs_with_its_columns(folder: Folder) -> None:
    source = folder.files()
    nothing, something, nothing_again = run(source, 1, 3, None, before=lambda epoch: folder.write(7) if epoch == 2 else None)
    assert [one.rows for one in (nothing, something, nothing_again)] == [0, 1, 0]
    assert table(nothing).schema == table(something).schema == pa.schema({"n": pa.int64(), "at": pa.timestamp("us", "UTC")})
    assert table(something)["at"].cast(pa.string()).to_pylist() == ["2005-12-01 12:30:00.250000Z"]
    assert source.counters.ingested_rows == source.counters.offered_rows == 1
    assert len({one.digest for one in (nothing, something, nothing_again)}) == 3 - (nothing.offsets == nothing_again.offsets)


def test_files_that_wait_are_offered_rows_as_far_as_the_files_before_tell(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PAUSE_S", 0.0)
    monkeypatch.setattr(waiting, "SHARE", 0)
    source = folder.files(pathGlobFilter="0*")
    offsets: str | None = None
    told: list[tuple[int | None, int]] = []
    assert isinstance(source, Streaming) and isinstance(source.backlog, FilesWaiting)
    for epoch in range(1, 6):
        folder.write(*{1: range(1, 6), 4: range(6, 10)}.get(epoch, ()))
        (folder.path / "in" / "another.json").write_text("is passed over")
        offsets = computed(source, epoch, offsets).offsets
        told.append((source.counters.waiting_rows, source.counters.offered_rows))
        assert source.backlog.looking is not None
        source.backlog.looking.join()
    assert told == [(None, 1), (3, 2), (2, 2), (1, 2), (4, 6)]  # four came in epoch 4, and were seen in the next


def test_files_that_spark_passes_over_for_their_age_do_not_wait(folder: Folder) -> None:
    notes = FileNotes(StoreShelf(open_store((folder.path / "store").as_uri()), "seen"), age_ms=1_000, keep_epochs=1)
    seconds = {f"file:///{second}": 1_000 * second for second in range(1, 6)}
    files = FilesWaiting(lambda taken, _: {path: ms for path, ms in seconds.items() if path not in taken}, notes)
    notes.know([seen.File("file:///4", 4_000, 0)])
    notes.count = 1
    files.take_a_look()
    files.growth(None, 7)
    assert files.rows == 2 * 7  # those of seconds 3 and 5


def test_who_goes_on_from_an_epoch_without_any_files_yet_reads_the_first(folder: Folder) -> None:
    empty = computed(folder.files(), 1, None)
    standby = folder.files()
    folder.write(1)
    assert numbers(computed(standby, 2, empty.offsets)) == [1]


def test_a_file_is_read_once_by_whoever_goes_on_also_after_the_list_was_compacted(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "FRESH_LIMIT", 3)
    source = folder.files()
    folder.write(*range(1, 9))
    first = run(source, 1, 8, None)
    folder.write(*range(9, 14))
    across = run(folder.files(), 9, 13, first[-1].offsets)  # batch 9 of the source's log is a compact one
    folder.write(14)
    after = run(folder.files(), 14, 15, across[-1].offsets)
    within = run(folder.files(), 12, 12, across[2].offsets)
    assert [numbers(one) for one in first + across + after] == [[n] for n in range(1, 15)] + [[]]
    assert numbers(within[0]) == [12]


def test_who_lost_an_epoch_goes_on_from_what_was_committed(folder: Folder) -> None:
    one, other = folder.files(), folder.files()
    folder.write(1)
    start = computed(one, 1, None)
    folder.write(2, 3)
    won = computed(other, 2, start.offsets)
    computed(one, 2, start.offsets)  # lost
    assert numbers(won) == [2]
    assert numbers(computed(one, 3, won.offsets)) == [3]


def test_an_epoch_that_was_read_and_not_committed_is_read_again(folder: Folder) -> None:
    source = folder.open(*COUNTED)
    start, lost = run(source, 1, 2, None)
    again = computed(source, 3, start.offsets)  # epoch 2 was sealed as skipped: it repeats the offsets of 1
    assert (numbers(again, "value"), again.digest) == (numbers(lost, "value"), lost.digest)


def test_a_source_that_fails_says_so_and_is_asked_again(folder: Folder) -> None:
    source = folder.files(mode="FAILFAST")
    folder.write(1)
    first = computed(source, 1, None)
    (folder.path / "in" / "002.json").write_text("no JSON\n")
    raised = source.ingest(2, first.offsets)
    assert isinstance(raised, Raised)
    assert raised.error.startswith("epoch 2: ")
    assert "002.json" in raised.error
    assert "\tat " not in raised.error
    folder.write(2)
    assert numbers(computed(source, 2, first.offsets)) == [2]


@pytest.mark.parametrize("form", ["kafka", "json"])
def test_the_tasks_of_a_source_share_its_rows(spark: SparkSession, form: str) -> None:
    frame = spark.createDataFrame(pa.table({"partition": [n % 7 for n in range(40)], "n": range(40), "map": [{"a": 1}] * 40}))
    shares = [share(frame, form, task, 3).toArrow()["n"].to_pylist() for task in range(3)]
    assert sorted(number for one in shares for number in one) == list(range(40))
    assert all(shares)
    assert form != "kafka" or {n % 7 for n in shares[1]} == {1, 4}  # whole partitions


def test_who_waits_for_a_source_that_hangs_can_be_stopped(folder: Folder) -> None:
    source = folder.open(*COUNTED)
    assert isinstance(source, Streaming)
    reads = source.source
    source.source = lambda spark: reads(spark).where("reflect('java.lang.Thread', 'sleep', 3600000L + value) IS NULL")
    answers: list[object] = []
    waiting = threading.Thread(target=lambda: answers.append(source.ingest(1, None)))
    waiting.start()
    while not folder.spark.sparkContext.statusTracker().getActiveStageIds():
        time.sleep(0.05)
    source.stop()
    waiting.join()
    assert [type(one) for one in answers] == [Raised]
    assert isinstance(source.ingest(2, None), Raised)  # and it stays so


def test_bad_offsets_are_told_and_begin_nothing(folder: Folder) -> None:
    assert isinstance(folder.open(*COUNTED).ingest(5, "no JSON"), Raised)


def test_a_missing_part_of_the_list_of_files_is_told(folder: Folder) -> None:
    lost = seen.Seen(parts=(seen.Part("gone", 3),))
    offsets = json.dumps({"offset": '{"logOffset":2}', "notes": {}, "seen": lost.plainly()})
    raised = folder.files().ingest(5, offsets)
    assert isinstance(raised, Raised)
    assert "seen/gone is gone" in raised.error


def test_compact_notes_are_where_spark_looks_for_them() -> None:
    files = tuple(seen.File(f"file:///{n}", n, n) for n in range(13))
    written = notes.written(files, 12)
    assert sorted(written) == ["10", "11", "12", "9.compact"]
    assert len(written["9.compact"].splitlines()) == 11


class ThreeLines(socketserver.BaseRequestHandler):
    """Three lines for everybody who comes, and then nothing."""

    def handle(self) -> None:
        self.request.sendall(b"one\ntwo\nthree\n")
        self.request.recv(1)


def test_a_socket_cannot_go_back_and_goes_on_with_what_comes(folder: Folder) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), ThreeLines) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = {"host": "127.0.0.1", "port": str(server.server_address[1])}
        offsets: str | None = None
        for _ in range(2):
            source, lines = folder.open("socket", options), list[str]()
            while len(lines) < 3:
                one = computed(source, 1, offsets)
                offsets = one.offsets
                lines += table(one)["value"].to_pylist()
            assert lines == ["one", "two", "three"]
            source.stop()
        server.shutdown()


def test_a_bounded_source_of_files_ends_with_the_first_epoch_that_finds_nothing(folder: Folder) -> None:
    first = folder.files(bounded="true")
    folder.write(1, 2)
    epochs = run(first, 1, 4, None)
    assert [(numbers(one), one.ended) for one in epochs] == [([1], False), ([2], False), ([], True), ([], True)]
    assert [first.ended(5), table(epochs[3]).schema] == [True, table(epochs[0]).schema]
    folder.write(3)
    first.stop()
    late = run(folder.files(bounded="true"), 5, 6, epochs[3].offsets)
    assert [(numbers(one), one.ended) for one in late] == [([], True), ([], True)]


def test_a_bounded_source_without_files_ends_at_once(folder: Folder) -> None:
    assert run(folder.files(bounded="true"), 1, 1, None)[0].ended


def test_a_source_without_a_bound_does_not_end_where_nothing_comes(folder: Folder) -> None:
    assert not run(folder.files(), 1, 2, None)[1].ended


def test_an_epoch_of_files_is_read_again_between_its_offsets(folder: Folder) -> None:
    source = folder.files()
    folder.write(1, 2, 3, 4)
    epochs = run(source, 1, 4, None)
    for number in (1, 3, 4):
        before = epochs[number - 2].offsets if number > 1 else None
        told = epochs[number - 1]
        assert told.offsets is not None
        again = source.again(number, before, told.offsets)
        assert isinstance(again, Computed), again
        assert (again.digest, numbers(again)) == (told.digest, [number])
    folder.write(5)
    assert numbers(computed(source, 5, epochs[3].offsets)) == [5]  # it goes on where it was


def test_a_counted_source_is_read_again_between_its_offsets(folder: Folder) -> None:
    source = folder.open(*COUNTED)
    epochs = run(source, 1, 3, None)
    assert epochs[1].offsets is not None
    again = folder.open(*COUNTED).again(2, epochs[0].offsets, epochs[1].offsets)
    assert isinstance(again, Computed), again
    assert again.digest == epochs[1].digest


def test_a_file_that_is_gone_is_no_epoch_to_be_read_again(folder: Folder) -> None:
    source = folder.files()
    folder.write(1, 2)
    epochs = run(source, 1, 2, None)
    (folder.path / "in" / "002.json").unlink()
    assert epochs[1].offsets is not None
    again = source.again(2, epochs[0].offsets, epochs[1].offsets)
    assert isinstance(again, Raised) or again.digest != epochs[1].digest


def test_a_source_that_was_warmed_has_given_no_row_away(folder: Folder) -> None:
    source = folder.files()
    folder.write(1, 2)
    source.warm()
    assert source.counters.ingested_rows == 0
    assert not list((folder.path / "local-0").glob("warm*"))
    assert [numbers(one) for one in run(source, 1, 2, None)] == [[1], [2]]


def test_a_source_that_cannot_be_warmed_says_so_when_its_epoch_is_due(folder: Folder) -> None:
    source = folder.open("json", {"path": str(folder.path / "nowhere"), "schema": "n BIGINT"})
    source.warm()
    assert isinstance(source.ingest(1, None), Raised)
