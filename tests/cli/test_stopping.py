"""What `levee stop` says while it waits."""

from collections.abc import Sequence
from dataclasses import replace

from levee.cli.local.stopping import Stopping
from levee.control.names import ReplicaName, WorkerName, task_of
from levee.control.seen import Status
from levee.topology.names import NodeName
from levee.worlds.local.rows import ReplicaRow

ERROR = "epoch 8: the function has not returned within 30 s\n  mine.py:8 in look: time.sleep(0.1)"


def row(name: str, epoch: int, status: Status = Status.RUNNING) -> ReplicaRow:
    replica, error = ReplicaName(name), ERROR if status is Status.FAILED else ""
    return ReplicaRow(replica, task_of(replica), NodeName("n"), WorkerName("n-0"), 1, "none", status.value, epoch, None, 0, 0.0, error)


def told(stopping: Stopping, *rows: ReplicaRow) -> Sequence[str]:
    return list(stopping.news(rows))


def test_who_has_yet_to_come_to_the_last_epoch_is_told_when_it_changes() -> None:
    stopping = Stopping()
    assert told(stopping, row("market/0/0", 9), row("out/0/0", 7)) == ["waits until every source has read the order"]
    stopping.epoch = 10
    assert told(stopping, row("market/0/0", 9), row("out/0/0", 7)) == ["stops after epoch 10; market/0, out/0 have yet to come there"]
    assert told(stopping, row("market/0/0", 9), row("out/0/0", 8)) == []
    assert told(stopping, row("market/0/0", 10), row("out/0/0", 9)) == ["stops after epoch 10; out/0 has yet to come there"]
    assert told(stopping, row("market/0/0", 10), row("out/0/0", 10)) == []


def test_a_task_that_has_failed_and_does_not_come_there_is_told_once_also_while_it_tries_again() -> None:
    stopping = Stopping(10)
    failed = "vwap/0 has failed and does not come there as it is: epoch 8: the function has not returned within 30 s"
    assert told(stopping, row("vwap/0/0", 7, Status.FAILED))[1:] == [failed]
    assert told(stopping, row("vwap/0/0", 5)) == []
    assert list(stopping.lines([row("vwap/0/0", 5)]))[1:] == [failed]
    assert "levee kill replica vwap/0/0" in stopping.fix()
    assert list(stopping.lines([row("vwap/0/0", 10)])) == []


def test_what_a_task_stands_still_for_is_told_as_well() -> None:
    stopping, lacks = Stopping(10), "epoch 8 of trades/0 cannot be read: the checksum. Fix: restore this object"
    still = [replace(row(f"vwap/0/{number}", 7), error=lacks) for number in (0, 1)]
    assert told(stopping, *still)[1:] == [f"vwap/0: {lacks}"]
    assert told(stopping, *still) == []


def test_a_task_whose_other_replica_goes_on_or_that_is_corrected_has_not_failed() -> None:
    stopping = Stopping(10)
    yet = ["stops after epoch 10; vwap/0 has yet to come there"]
    assert told(stopping, row("vwap/0/0", 7, Status.FAILED), row("vwap/0/1", 7)) == yet
    assert len(told(stopping, row("vwap/0/0", 5), row("vwap/0/1", 7, Status.FAILED))) == 1
    assert list(stopping.lines([row("vwap/0/0", 7), row("vwap/0/1", 7)]))[1:]
    assert told(stopping, row("vwap/0/0", 8), row("vwap/0/1", 7)) == []
    assert list(stopping.lines([row("vwap/0/0", 8), row("vwap/0/1", 7)])) == yet
    assert stopping.fix() == "wait, or end levee run with Ctrl-C"
