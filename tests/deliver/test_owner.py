"""Files of two runs never share a folder: whoever comes to another's is refused, and what is there stays."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pytest

from levee_spark.deliver.delivery import CannotDeliver, Delivery
from levee_spark.deliver.opening import open_delivery
from levee_spark.deliver.owner import MARK, Mark, Owner, claim
from levee_spark.store.address import open_store
from tests.deliver.epochs import OWNER, delivered, show

FORMER, LATTER = pa.table({"run": ["former"]}), pa.table({"run": ["latter"]})


def no_spark() -> object:
    raise AssertionError("files need no Spark")


def sink(folder: Path, owner: Owner = OWNER) -> Delivery:
    return open_delivery(owner, "json", {"path": str(folder)}, spark=no_spark, tell=print, show=show)  # type: ignore[arg-type]  # never called


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"uid": "u2"}, r"another run of shop/clicks \(its uid is u1, this run's u2\)"),
        ({"topology": "shop/carts", "uid": "u2"}, r"sink 'out' of shop/clicks \(uid u1\)"),
        ({"sink": "second"}, "sink 'out' of shop/clicks"),
    ],
)
def test_a_folder_with_the_output_of_another_is_refused_and_stays_as_it_is(tmp_path: Path, other: dict[str, str], told: str) -> None:
    sink(tmp_path).deliver(delivered(1, FORMER))
    before = contents(tmp_path)
    for epoch in (1, 2):
        with pytest.raises(CannotDeliver, match=f"holds the output of {told}.*nothing was written\n  Fix: name another path"):
            sink(tmp_path, replace(OWNER, **other)).deliver(delivered(epoch, LATTER))
    assert contents(tmp_path) == before


def test_another_run_is_refused_before_it_has_any_row(tmp_path: Path) -> None:
    sink(tmp_path).deliver(delivered(1, FORMER))
    with pytest.raises(CannotDeliver, match="another run"):
        sink(tmp_path, replace(OWNER, uid="u2")).deliver(delivered(1, LATTER.slice(0, 0)))


def test_the_same_run_goes_on_in_its_folder(tmp_path: Path) -> None:
    sink(tmp_path).deliver(delivered(1, FORMER))
    for epoch in (1, 2):
        sink(tmp_path).deliver(delivered(epoch, FORMER))
    assert sorted(contents(tmp_path)) == [MARK, *(f"part-00000-{epoch:012d}.json" for epoch in (1, 2))]
    assert json.loads((tmp_path / MARK).read_text()) == {"topology": "shop/clicks", "uid": "u1", "sink": "out", "found_files": False}


def test_a_file_from_before_the_mark_is_an_error_where_its_rows_are_others(tmp_path: Path) -> None:
    sink(tmp_path).deliver(delivered(1, FORMER))
    (tmp_path / MARK).unlink()
    sink(tmp_path).deliver(delivered(1, FORMER))  # the same
    sink(tmp_path).deliver(delivered(2, LATTER))
    (tmp_path / MARK).unlink()
    for _ in range(2):  # it is remembered that there were files
        with pytest.raises(CannotDeliver, match=r"part-00000-000000000001\.json is there already, with other rows"):
            sink(tmp_path, replace(OWNER, uid="u2")).deliver(delivered(1, LATTER))


def test_streams_that_began_anew_do_not_take_the_files_of_earlier_ones_for_their_own(tmp_path: Path) -> None:
    sink(tmp_path).deliver(delivered(1, FORMER))
    before = contents(tmp_path)
    with pytest.raises(CannotDeliver, match=r"part-00000-000000000001\.json is there already, with other rows"):
        sink(tmp_path).deliver(delivered(1, LATTER))
    assert contents(tmp_path) == before


def test_files_of_somebody_else_beside_it_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("what is here")
    sink(tmp_path).deliver(delivered(1, FORMER))
    assert json.loads((tmp_path / MARK).read_text())["found_files"] is False


def test_buckets_are_looked_through_in_the_same_way() -> None:
    blobs = open_store("memory://owner-test")
    blobs.create("part-00000-000000000001.json", b"{}")
    assert claim(blobs, OWNER) == claim(blobs, OWNER) == Mark(OWNER, found_files=True)
    with pytest.raises(CannotDeliver, match="another run"):
        claim(blobs, replace(OWNER, uid="u2"))


def test_a_mark_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text("mine")
    with pytest.raises(CannotDeliver, match="_levee is not what a sink writes there"):
        sink(tmp_path).deliver(delivered(1, FORMER))


def test_readers_of_the_folder_do_not_see_the_mark(tmp_path: Path) -> None:
    sink(tmp_path).deliver(delivered(1, FORMER))
    assert pa.dataset.dataset(tmp_path, format="json").to_table().equals(FORMER)
