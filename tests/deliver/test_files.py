"""Files of Levee's own: exactly once, whoever writes them and however often."""

import gzip
import io
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from levee_spark.deliver.delivery import CannotDeliver, Delivery, Stopped
from levee_spark.deliver.files import Files
from levee_spark.deliver.opening import open_delivery
from levee_spark.deliver.owner import Mark
from levee_spark.lane import rows
from levee_spark.log.requests import Deliver
from levee_spark.log.values import Kind
from levee_spark.store.blobs import Trouble
from levee_spark.worker.logs import Log
from tests.deliver.epochs import OWNER, delivered, show

AT = datetime(2005, 12, 1, 14, 30, 0, 250_001, tzinfo=UTC)
TABLE = pa.table(
    {
        "key": pa.array([1, 2, None], pa.int64()),
        "text": ['plain, "quoted"', "", None],
        "at": pa.array([AT, AT, None], pa.timestamp("us", tz="UTC")),
        "share": pa.array([0.1, float("nan"), None], pa.float64()),
    }
)


def no_spark() -> object:
    raise AssertionError("files need no Spark")


def sink(form: str, folder: Path | str, heard: list[str] | None = None, **options: str) -> Delivery:
    tell = (heard if heard is not None else []).append
    return open_delivery(OWNER, form, {"path": str(folder), **options}, spark=no_spark, tell=tell, show=show)  # type: ignore[arg-type]  # never called


def epoch(number: int, table: pa.Table = TABLE, *, kind: Kind = Kind.FINAL, index: int = 0) -> Deliver:
    return delivered(number, table, kind=kind, index=index)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith((".", "_")))


def test_each_epoch_and_task_has_a_file_of_its_own(tmp_path: Path) -> None:
    delivery = sink("parquet", tmp_path / "out")
    for number, index in ((1, 0), (1, 1), (20, 0)):
        delivery.deliver(epoch(number, index=index))
    assert files(tmp_path / "out") == [f"part-0000{i}-{n:012d}.snappy.parquet" for i, n in ((0, 1), (0, 20), (1, 1))]
    assert (delivery.counters.delivered_epochs, delivery.counters.delivered_rows) == (3, 9)


@pytest.mark.parametrize("codec", ["snappy", "zstd", "gzip", "none"])
def test_parquet_keeps_rows_and_types(tmp_path: Path, codec: str) -> None:
    sink("parquet", tmp_path, compression=codec).deliver(epoch(1))
    (name,) = files(tmp_path)
    assert pa.parquet.read_table(tmp_path / name).drop_columns("share").equals(TABLE.drop_columns("share"))


def test_json_is_a_line_a_row_with_times_in_utc_to_the_microsecond(tmp_path: Path) -> None:
    sink("json", tmp_path).deliver(epoch(3))
    lines = [json.loads(line) for line in (tmp_path / "part-00000-000000000003.json").read_text().splitlines()]
    at = "2005-12-01T14:30:00.250001Z"
    assert lines == [{"key": 1, "text": 'plain, "quoted"', "at": at, "share": 0.1}, {"key": 2, "text": "", "at": at, "share": "NaN"}, {}]


def test_json_can_show_nulls_and_be_packed(tmp_path: Path) -> None:
    sink("json", tmp_path, compression="gzip", ignoreNullFields="false").deliver(epoch(3))
    text = gzip.decompress((tmp_path / "part-00000-000000000003.json.gz").read_bytes())
    assert json.loads(text.splitlines()[2]) == dict.fromkeys(TABLE.column_names)


def test_json_knows_nested_columns(tmp_path: Path) -> None:
    nested = pa.table(
        {
            "list": [[1, None]],
            "struct": pa.array([{"at": AT, "none": None}], pa.struct({"at": pa.timestamp("us", "UTC"), "none": pa.int8()})),
            "map": pa.array([[("a", 1.5)]], pa.map_(pa.string(), pa.float64())),
            "decimal": [Decimal("1.10")],
            "bytes": [b"\x00\xff"],
        }
    )
    sink("json", tmp_path).deliver(epoch(1, nested))
    (line,) = (tmp_path / files(tmp_path)[0]).read_text().splitlines()
    assert line == ('{"list":[1,null],"struct":{"at":"2005-12-01T14:30:00.250001Z"},"map":{"a":1.5},"decimal":"1.10","bytes":"AP8="}')


def test_csv_tells_an_empty_text_from_none(tmp_path: Path) -> None:
    sink("csv", tmp_path, header="true", sep=";").deliver(epoch(1, TABLE.drop_columns("share")))
    text = (tmp_path / "part-00000-000000000001.csv").read_text()
    assert text == '"key";"text";"at"\n1;"plain, ""quoted""";"2005-12-01T14:30:00.250001Z"\n2;"";"2005-12-01T14:30:00.250001Z"\n;;\n'


@pytest.mark.parametrize("kind", [Kind.SKIPPED, Kind.FAILED])
def test_what_was_skipped_or_failed_is_not_delivered(tmp_path: Path, kind: Kind) -> None:
    sink("parquet", tmp_path).deliver(epoch(1, kind=kind))
    assert files(tmp_path) == []


def test_an_empty_epoch_writes_nothing(tmp_path: Path) -> None:
    sink("parquet", tmp_path).deliver(epoch(1, TABLE.slice(0, 0)))
    assert files(tmp_path) == []


def test_an_epoch_that_is_delivered_again_changes_nothing(tmp_path: Path) -> None:
    sink("parquet", tmp_path).deliver(epoch(1))
    (name,) = files(tmp_path)
    before = (tmp_path / name).stat()
    sink("parquet", tmp_path).deliver(epoch(1))
    after = (tmp_path / name).stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)


@pytest.mark.parametrize(
    ("form", "before", "after"),
    [
        ("json", {}, {"ignoreNullFields": "false"}),
        ("json", {"compression": "gzip"}, {"compression": "gzip", "ignoreNullFields": "false"}),
        ("csv", {}, {"header": "true"}),
        ("csv", {"header": "true"}, {"sep": ";"}),
        ("parquet", {}, {}),
    ],
)
def test_an_epoch_that_is_delivered_again_after_an_option_was_edited_is_no_other(
    tmp_path: Path, form: str, before: dict[str, str], after: dict[str, str]
) -> None:
    sink(form, tmp_path, None, **before).deliver(epoch(1))
    sink(form, tmp_path, None, **after).deliver(epoch(1))
    assert len(files(tmp_path)) == 1
    with pytest.raises(CannotDeliver, match="with other rows"):
        sink(form, tmp_path, None, **after).deliver(epoch(1, TABLE.set_column(0, "key", pa.array([1, 3, None], pa.int64()))))


def test_parquet_that_another_version_has_written_is_no_other(tmp_path: Path) -> None:
    sink("parquet", tmp_path).deliver(epoch(1))
    (name,) = files(tmp_path)
    pa.parquet.write_table(pa.parquet.read_table(tmp_path / name), tmp_path / name, compression="snappy", version="1.0")
    sink("parquet", tmp_path).deliver(epoch(1))


def test_an_epoch_in_parts_is_one_file(tmp_path: Path) -> None:
    whole = epoch(1)
    parts = tuple(rows.encode(TABLE.slice(place, 1)) for place in range(3))
    sink("parquet", tmp_path).deliver(replace(whole, epoch=replace(whole.epoch, payload=parts)))
    (name,) = files(tmp_path)
    assert pa.parquet.read_table(tmp_path / name)["text"].equals(TABLE["text"])


def test_two_deliverers_at_once_leave_each_row_once(tmp_path: Path) -> None:
    epochs = [epoch(number, pa.table({"row": [number * 10 + i for i in range(5)]})) for number in range(1, 61)]

    def deliver_all(_: int) -> None:
        delivery = sink("parquet", tmp_path)
        for one in epochs:
            delivery.deliver(one)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(deliver_all, range(3)))
    found = pa.parquet.read_table([tmp_path / name for name in files(tmp_path)])
    assert sorted(found["row"].to_pylist()) == [number * 10 + i for number in range(1, 61) for i in range(5)]


class Failing:
    """A place that fails some times before it works."""

    where, resolution_ms = "memory", 0

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.created: list[str] = []

    def create(self, key: str, data: object) -> bool:
        if self.failures:
            self.failures -= 1
            raise Trouble("the disk is full")
        self.created.append(key)
        return True


def with_blobs(delivery: Delivery, blobs: Failing) -> Files:
    assert isinstance(delivery, Files)
    delivery.mark = Mark(OWNER, found_files=False)
    delivery.blobs = blobs  # type: ignore[assignment]  # it has what is used
    return delivery


def test_a_full_disk_is_told_and_waited_for(tmp_path: Path) -> None:
    heard: list[str] = []
    delivery, blobs = sink("parquet", tmp_path, heard), Failing(2)
    with_blobs(delivery, blobs).deliver(epoch(1))
    assert heard == ["the disk is full"] * 2
    assert (len(blobs.created), delivery.counters.tried_again) == (1, 2)


def test_a_deliverer_that_is_stopped_does_not_claim_to_have_delivered(tmp_path: Path) -> None:
    delivery = with_blobs(sink("parquet", tmp_path), Failing(10**6))
    delivery.stop()
    with pytest.raises(Stopped):
        delivery.deliver(epoch(1))


@pytest.mark.parametrize(
    ("form", "options", "wrong"),
    [
        ("csv", {"path": "out", "haeder": "true"}, "haeder"),
        ("csv", {"path": "out", "header": "yes"}, "neither true nor false"),
        ("parquet", {"path": "out", "compression": "lzo"}, "lzo"),
        ("json", {}, "has no path"),
        ("parquet", {"path": "/proc/nowhere"}, "cannot write"),
    ],
)
def test_a_sink_that_cannot_work_is_refused_with_a_remedy(form: str, options: dict[str, str], wrong: str) -> None:
    with pytest.raises(CannotDeliver, match=wrong) as refused:
        open_delivery(OWNER, form, options, spark=no_spark, tell=print, show=show)  # type: ignore[arg-type]  # never called
    assert refused.value.complaint.fix


def test_a_format_that_cannot_hold_a_column_says_so(tmp_path: Path) -> None:
    with pytest.raises(CannotDeliver, match="out"):
        sink("csv", tmp_path).deliver(epoch(1, pa.table({"list": [[1]]})))


def test_a_folder_can_be_named_as_an_address(tmp_path: Path) -> None:
    sink("parquet", (tmp_path / "with space").as_uri()).deliver(epoch(1))
    assert len(files(tmp_path / "with space")) == 1


def test_the_console_shows_the_first_rows_each_as_a_line_of_the_log() -> None:
    out = io.StringIO()
    say = partial(Log("shop/clicks", "node-1-0.1", out).say, replica="out/0/0")
    delivery = open_delivery(OWNER, "console", {"numRows": "1"}, spark=no_spark, tell=print, show=say)  # type: ignore[arg-type]
    delivery.deliver(epoch(4))
    delivery.deliver(epoch(5, TABLE.slice(0, 0)))
    row, told = map(json.loads, out.getvalue().splitlines())
    assert (row["event"], row["sink"], row["replica"], row["epoch"], row["row"]["key"]) == ("row", "out", "out/0/0", 4, 1)
    assert (told["event"], told["epoch"], told["rows"], told["shown"]) == ("rows", 4, 3, 1)
