"""What the elements of a live run of the LAAR bench compute."""

import time

import pyarrow as pa

from benchmarks.laar.burning import burn, copies, mixed, readings, rows_until, spin

OPTIONS = {"low": "4.5", "high": "9", "epochsOfEach": "10"}


def test_epochs_are_low_then_high_then_low() -> None:
    counts = [readings(epoch, OPTIONS, 0, 1).num_rows for epoch in range(1, 41)]
    assert sum(counts[:10]) == 45
    assert counts[10:20] == [9] * 10
    assert sum(counts[20:30]) == sum(counts[30:]) == 45
    assert rows_until(20, 4.5, 9.0, 10) == 135


def test_no_number_comes_twice() -> None:
    numbers = [number for epoch in range(1, 41) for number in readings(epoch, OPTIONS, 0, 1).column("number").to_pylist()]
    assert numbers == list(range(len(numbers)))
    assert len({mixed(number, port, copy) for number in range(1_000) for port in range(2) for copy in range(2)}) == 4_000


def test_as_many_rows_come_out_as_the_selectivity_says() -> None:
    for selectivity in (0.5, 1.0, 1.37):
        found = sum(copies(number, 1, selectivity) for number in range(10_000))
        assert abs(found / 10_000 - selectivity) < 0.02


def test_all_replicas_compute_the_same() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(range(100), pa.int64())], names=["number"])
    first, second = (next(burn(iter([batch]), 1.3, 0.0, 0)).to_pydict() for _ in range(2))
    assert first == second


def test_cpu_is_burnt() -> None:
    began_s = time.thread_time()
    spin(0.005)
    assert time.thread_time() - began_s >= 0.005
