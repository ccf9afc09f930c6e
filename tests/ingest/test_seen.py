"""The list of files that were read: all of them, in a manifest that stays small."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee_spark.ingest import checkpoint
from levee_spark.ingest.notes import COMPACT_EVERY, logged, written
from levee_spark.ingest.position import Position
from levee_spark.ingest.seen import FRESH_LIMIT, File, Seen, unpacked


@dataclass
class Box:
    """A shelf in memory."""

    held: dict[str, bytes] = field(default_factory=dict)

    def put(self, name: str, data: bytes) -> None:
        self.held[name] = data

    def get(self, name: str) -> bytes:
        return self.held[name]

    def delete(self, name: str) -> None:
        del self.held[name]


def files(first: int, end: int) -> list[File]:
    return [File(f"file:///in/{n}.json", 1_000 + n, n) for n in range(first, end)]


@given(sizes=st.lists(st.integers(0, 90), max_size=40))
def test_no_file_is_forgotten_and_the_manifest_stays_small(sizes: list[int]) -> None:
    box, seen, count = Box(), Seen(), 0
    for epoch, size in enumerate(sizes, start=1):
        seen = seen.with_files(files(count, count + size), epoch, box).tidied(epoch - 10, box)
        count += size
        assert len(seen.fresh) <= FRESH_LIMIT
        assert len(seen.parts) <= max(1, count.bit_length())
    assert list(seen.files(box)) == files(0, count)


@given(sizes=st.lists(st.integers(1, 90), min_size=2, max_size=30), keep=st.integers(1, 8))
def test_whoever_goes_on_from_a_manifest_that_is_still_kept_finds_all_of_it(sizes: list[int], keep: int) -> None:
    box, seen, count = Box(), Seen(), 0
    manifests: list[tuple[Seen, int]] = []
    for epoch, size in enumerate(sizes):
        seen = seen.with_files(files(count, count + size), epoch, box).tidied(epoch - keep, box)
        count += size
        manifests.append((seen, count))
        for kept, known in manifests[-keep:]:
            assert len(kept.files(box)) == known


def test_parts_that_nobody_needs_are_deleted() -> None:
    box, seen = Box(), Seen()
    for epoch in range(200):
        seen = seen.with_files(files(65 * epoch, 65 * (epoch + 1)), epoch, box).tidied(epoch - 5, box)
    assert len(box.held) == len(seen.parts) + len(seen.merged)
    assert len(seen.merged) < 10


def test_files_that_spark_would_pass_over_for_their_age_are_dropped() -> None:
    box = Box()
    seen = Seen().with_files(files(0, 100), 1, box, age_ms=9)
    assert [file.batch for file in seen.files(box)] == list(range(90, 100))


@given(last=st.integers(-1, 45), lines=st.integers(1, 3))
def test_the_log_of_a_file_source_survives_being_taken_apart_and_written_again(
    last: int, lines: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = tuple(File(f"file:///{batch}-{n}", batch, batch) for batch in range(last + 1) for n in range(lines))
    folder = tmp_path_factory.mktemp("log")
    checkpoint.make(folder, None, written(known, last))
    first = (last + 1) // COMPACT_EVERY * COMPACT_EVERY  # batches before it stand in the compact note alone
    for batch in range(first, last + 1):
        assert logged(folder, batch) == [file for file in known if file.batch == batch]
    if first:
        (folder / "sources" / "source" / str(first - 1)).unlink(missing_ok=True)
        assert logged(folder, first - 1) == [file for file in known if file.batch == first - 1]


@given(count=st.integers(0, 200), offset=st.none() | st.just('{"logOffset":7}'))
def test_a_position_survives_being_written(count: int, offset: str | None) -> None:
    box = Box()
    seen = Seen().with_files(files(0, count), 3, box)
    for position in (Position(offset, (("0", "v1\nline"),)), Position(offset, seen=seen)):
        assert Position.of(position.text()) == position
    assert sum(len(unpacked(data)) for data in box.held.values()) + len(seen.fresh) == count
