"""Objects of streams are corrupt or gone when a topology goes on: what can be computed again is, and what cannot is told."""

from dataclasses import dataclass
from pathlib import Path

from levee.control.actions import Reason
from levee.control.names import ReplicaName
from levee.topology.names import TaskId
from levee.worlds.local.rows import rows_of
from levee.worlds.local.run import Turn
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Done, PutIfAbsent
from levee_spark.log.values import Floor
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver
from tests.faults.chain import LABELLED, SINK, TOTAL, Wish, expected
from tests.faults.plant import planted
from tests.faults.streams import delivered

ONE = Wish(nodes=1, replicas=1, checkpoint_every=4, failure_timeout="1s")
BEGINS_WITH = 24  # epochs: each task has published some checkpoints by then


@dataclass(frozen=True, slots=True)
class Left:
    """What a run has left in its store."""

    root: Path
    layout: Layout

    def epoch(self, task: str, epoch: int) -> Path:
        return self.root / self.layout.epoch(TaskId(task), epoch)

    def checkpoints(self, task: str) -> list[int]:
        return sorted(numbered(file.name) for file in (self.root / self.layout.checkpoints(TaskId(task))).iterdir())

    def keep(self, task: str, checkpoint: int) -> None:
        """And forget the others: it is as far behind as that, or as far ahead."""
        for other in set(self.checkpoints(task)) - {checkpoint}:
            (self.root / self.layout.checkpoint(TaskId(task), other)).unlink()

    def trim(self, task: str, floor: int) -> None:
        answer = StoreDriver(open_store(self.root.as_uri())).answer(PutIfAbsent(self.layout.floor(TaskId(task), 1), Floor(1, floor)))
        assert isinstance(answer, Done)


def corrupt(file: Path) -> bytes:
    """Its last bytes; what it was."""
    was = file.read_bytes()
    file.write_bytes(was[:-8] + bytes(byte ^ 0xFF for byte in was[-8:]))
    return was


def lacks(turn: Turn, replica: str) -> str:
    return next(row.error for row in rows_of(turn.table, turn.seen) if row.replica == ReplicaName(replica))


def test_what_can_be_computed_again_is_and_what_cannot_is_told_until_it_is_restored(tmp_path: Path) -> None:
    with planted(tmp_path, ONE) as plant:
        plant.goes_on(BEGINS_WITH)
        left = Left(tmp_path / "store", plant.run.world.book.wiring.layout)
    behind = min(left.checkpoints(SINK))  # the sink lacks a sum that nobody can compute any more ...
    began = min(epoch for epoch in left.checkpoints(TOTAL) if epoch > behind)
    ahead = max(left.checkpoints(LABELLED))
    assert began + 2 < ahead
    for task, kept in ((SINK, behind), (TOTAL, began), (LABELLED, ahead)):
        left.keep(task, kept)
    left.trim(TOTAL, behind + 1)
    left.trim(LABELLED, began)
    summed = left.epoch(TOTAL, behind + 1)
    was = corrupt(summed)
    corrupt(left.epoch(LABELLED, began + 1))  # ... and the sums two epochs of a function without state, of which no checkpoint is as old
    left.epoch(LABELLED, began + 2).unlink()

    with planted(tmp_path, ONE, whole=False) as plant:
        damaged = plant.until("people are told", lambda turn: turn.decision.reason is Reason.STREAM_DAMAGED)
        assert damaged.decision.actions == ()
        plant.until("the sums go on", lambda _: any(f"{TOTAL}: goes on" in one for one in plant.told))
        plant.until("the sink is all that stands still", lambda turn: turn.decision.text.startswith(f"{SINK} stands still"))
        plant.until("it is said that nobody can help", lambda _: bool(plant.says("cannot rebuild")))
        turn = next(plant.turns)
        assert summed.relative_to(left.root).as_posix() in lacks(turn, f"{SINK}/0")
        assert "restore this object" in turn.table.text
        told = [one for one in plant.told if f"{SINK}: stands still" in one]
        assert len(told) == 1
        assert {one["replica"] for one in plant.says("rebuilt")} == {f"{LABELLED}/0"}

        summed.write_bytes(was)
        plant.until("the sink goes on", lambda _: any(f"{SINK}: goes on" in one for one in plant.told))
        whole = plant.is_whole()
        assert lacks(whole, f"{SINK}/0") == ""
        assert whole.decision.reason is not Reason.STREAM_DAMAGED
    out = delivered(tmp_path / "out")
    assert out == expected(max(out))
