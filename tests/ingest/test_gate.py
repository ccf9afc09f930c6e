"""The gate at which the tick source waits."""

import threading
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from levee_spark.ingest.tick import Gate, TickReader


def no_complaint() -> None:
    """Whoever is waited for will come."""


@pytest.mark.parametrize("name", ["gate", "a-name-that-is-too-long-for-a-socket-" * 4])
def test_a_tick_passes_when_it_may_and_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    gate = Gate(tmp_path / "new" / name)
    passed: list[dict[str, int]] = []
    reader = TickReader(str(gate.path))
    waiting = threading.Thread(target=lambda: passed.append(reader.latestOffset({"tick": 4}, ReadAllAvailable())))
    waiting.start()
    assert passed == []
    gate.let_one_pass(no_complaint)
    waiting.join()
    gate.close()
    assert (passed, gate.path.exists()) == ([{"tick": 5}], False)
    assert gate.folder is None or not gate.folder.exists()


def test_a_gate_where_nobody_comes_asks_whether_anybody_will(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")

    def nobody() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        gate.let_one_pass(nobody)
    gate.close()
