"""The tree of aggregations gives the 100 pages that counting all records gives."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from levee_spark.examples import top100, weblog
from tests.examples.epochs import Epochs, Run, rows_of, shuffled

TASKS = 2


def test_the_tree_finds_the_pages_that_counting_finds(run: Run) -> None:
    logs = [[weblog.rows(epoch, {"ratePerS": "4000"}, task, TASKS) for epoch in range(1, 6)] for task in range(TASKS)]
    sliced = [run(top100.slices, {"access-log": shuffled(log)}) for log in logs]
    merged = run(top100.merge, {"slices": [pa.concat_tables(epoch) for epoch in zip(*sliced, strict=True)]})
    found = run(top100.top, {"merge": shuffled(merged)})
    together = [pa.concat_tables(epoch) for epoch in zip(*logs, strict=True)]
    assert [rows.num_rows for rows in found] == [100, 0, 0, 0, 100]  # once a second
    assert rows_of(found[0]) == by_counting(together[:1])
    assert rows_of(found[4]) == by_counting(together)


def by_counting(epochs: Epochs) -> list[tuple[Any, ...]]:
    hits = Counter(page for rows in epochs for page in rows["page"].to_pylist())
    best = sorted(hits.items(), key=lambda page: (-page[1], page[0]))[:100]
    return [(rank, page, count) for rank, (page, count) in enumerate(best, start=1)]


def test_a_slice_has_100_records_and_the_order_of_their_arrival_does_not_matter() -> None:
    log = weblog.rows(1, {"ratePerS": "1000"}, 0, 1).select(["key", "page"])
    counts = list(top100.count_slices(log.to_batches()))
    assert rows_of(pa.Table.from_batches(counts)) == rows_of(pa.Table.from_batches(top100.count_slices(shuffled([log])[0].to_batches(40))))
    records = Counter[int]()
    for slice_number, _, hits in rows_of(pa.Table.from_batches(counts)):
        records[slice_number] += hits
    assert records == {0: 100, 1: 100, 2: 50}


def test_slices_and_merging_condense_as_the_topology_declares() -> None:
    """8 tasks, of which 2 are merged."""
    records = [weblog.rows(9, {}, task, 8).select(["key", "page"]) for task in (0, 1)]
    sliced = [pa.Table.from_batches(top100.count_slices(some.to_batches())) for some in records]
    merged = pa.Table.from_batches(top100.add_up(pa.concat_tables(sliced).select(["page", "hits"]).to_batches()))
    of_records, of_slices = sum(some.num_rows for some in records), sum(some.num_rows for some in sliced)
    assert of_slices / of_records == pytest.approx(0.35, abs=0.03)
    assert merged.num_rows / of_slices == pytest.approx(0.35, abs=0.03)


def test_a_page_is_forgotten_when_its_last_hit_is_a_minute_old() -> None:
    kept, _ = top100.rank(b"", [(100, "/old", 9), (100, "/both", 1)])
    kept, found = top100.rank(kept, [(159, "/both", 2)])
    assert found == [(1, "/old", 9), (2, "/both", 3)]
    _, found = top100.rank(kept, [(160, "/new", 1)])
    assert found == [(1, "/both", 2), (2, "/new", 1)]


def test_there_is_one_ranking_a_second() -> None:
    kept, first = top100.rank(b"", [(100, "/a", 1)])
    kept, again = top100.rank(kept, [(100, "/a", 1)])
    _, later = top100.rank(kept, [(101, "/b", 1)])
    assert (first, again, later) == ([(1, "/a", 1)], [], [(1, "/a", 2), (2, "/b", 1)])


def test_an_epoch_without_records_has_no_counts() -> None:
    assert [batch.num_rows for batch in top100.count_slices([])] + [batch.num_rows for batch in top100.add_up([])] == []
