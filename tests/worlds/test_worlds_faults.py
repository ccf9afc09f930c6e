"""Whom faults hit, and when those of a script do."""

from dataclasses import replace
from pathlib import Path

import pytest

from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Observation, Phase, ReplicaSeen, Status, WorkerSeen
from levee.topology.names import NodeName, TaskId
from levee.worlds.local import faults
from levee.worlds.local.faults import Fault, Hit, Kind, Missed, aim
from levee.worlds.local.processes import Process
from levee.worlds.local.script import Script
from levee.worlds.local.table import NodeEntry, RunTable, WorkerEntry

KEEPERS = {NodeName("node-1"): Process(11, "a"), NodeName("node-2"): Process(12, "a")}
A, B = ReplicaName("vwap/0/0"), ReplicaName("vwap/0/1")


def entry(node: str, replica: ReplicaName, pid: int | None) -> WorkerEntry:
    process = Process(pid, "a") if pid else None
    return WorkerEntry(WorkerName(f"{node}-0"), f"{node}-0.1.1", NodeName(node), (replica,), 1, process, Path("/nowhere"))


TABLE = RunTable(
    "tests/toy",
    "uid",
    "memory://",
    None,
    nodes=tuple(NodeEntry(node, alive=True, process=process) for node, process in KEEPERS.items()),
    workers=(entry("node-1", A, 21), entry("node-2", B, 22)),
)
PRIMARIES = {TaskId("vwap/0"): B}


def test_a_replica_is_hit_with_its_worker() -> None:
    assert aim(Fault(Kind.KILL_REPLICA, "vwap/0/0"), TABLE, PRIMARIES).workers == (Process(21, "a"),)


def test_a_task_means_its_primary_or_the_node_of_it() -> None:
    assert aim(Fault(Kind.PAUSE_REPLICA, "vwap/0"), TABLE, PRIMARIES).workers == (Process(22, "a"),)
    assert aim(Fault(Kind.KILL_NODE, "vwap/0"), TABLE, PRIMARIES).node == KEEPERS[NodeName("node-2")]


def test_a_node_is_hit_with_everything_on_it() -> None:
    hit = aim(Fault(Kind.KILL_NODE, "node-1"), TABLE, {})
    assert (hit.node, hit.workers, hit.replicas) == (Process(11, "a"), (Process(21, "a"),), (A,))


@pytest.mark.parametrize(("kind", "known"), [(Kind.KILL_REPLICA, ("vwap/0/0", "vwap/0/1")), (Kind.PAUSE_NODE, ("node-1", "node-2"))])
def test_a_fault_that_meets_nobody_says_whom_there_is(kind: Kind, known: tuple[str, ...]) -> None:
    with pytest.raises(Missed) as missed:
        aim(Fault(kind, "nobody"), TABLE, {})
    assert missed.value.known == known


def test_the_dead_cannot_be_hit_again() -> None:
    dead = replace(TABLE, workers=(entry("node-1", A, None), TABLE.workers[1]))
    with pytest.raises(Missed):
        aim(Fault(Kind.KILL_REPLICA, A), dead, {})


@pytest.fixture
def hits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Hit]]:
    found: list[tuple[str, Hit]] = []
    for name in ("kill", "pause", "go_on"):
        monkeypatch.setattr(faults, name, lambda hit, name=name: found.append((name, hit)))
    return found


def at(epoch: int) -> Observation:
    state = ReplicaSeen(A, Status.RUNNING, epoch=epoch)
    worker = WorkerSeen(WorkerName("node-1-0"), NodeName("node-1"), (A,), 1, Phase.READY, Instant(0), Instant(0), 0, (state,))
    return Observation((NodeSeen(NodeName("node-1"), alive=True, since=Instant(0)),), (worker,), anchored=True)


def follow(script: Script, epoch: int, now: int, table: RunTable = TABLE) -> list[str]:
    return [one.fault.name for one in script.follow(at(epoch), table, PRIMARIES, Instant(now))]


def test_a_scripted_fault_waits_for_its_epoch_and_happens_once(hits: list[tuple[str, Hit]]) -> None:
    script = Script([Fault(Kind.KILL_NODE, "node-1", at_epoch=20)])
    assert [follow(script, epoch, 0) for epoch in (19, 20, 21)] == [[], ["node-1"], []]
    assert [name for name, _ in hits] == ["kill"]


def test_faults_of_one_epoch_happen_together_and_those_of_another_one_turn_later(hits: list[tuple[str, Hit]]) -> None:
    script = Script([Fault(Kind.KILL_REPLICA, A, 20), Fault(Kind.KILL_NODE, "node-2", 30), Fault(Kind.KILL_REPLICA, B, 20)])
    assert follow(script, 35, 0) == [A, B]
    assert len(hits) == 2
    assert follow(script, 35, 0) == ["node-2"]


def test_a_fault_that_meets_nobody_is_tried_again_and_holds_up_no_other(hits: list[tuple[str, Hit]]) -> None:
    later = Fault(Kind.KILL_NODE, "node-3", 10)
    script = Script([later, Fault(Kind.KILL_NODE, "node-1", 20)])
    assert follow(script, 25, 0) == ["node-1"]
    assert "no living node is called 'node-3'" in script.missed[later]
    there = replace(TABLE, nodes=(*TABLE.nodes, NodeEntry(NodeName("node-3"), alive=True, process=Process(13, "a"))))
    assert follow(script, 26, 0, there) == ["node-3"]
    assert script.missed == {}
    assert len(hits) == 2


def test_a_pause_ends_in_time_or_with_the_run(hits: list[tuple[str, Hit]]) -> None:
    script = Script([Fault(Kind.PAUSE_REPLICA, A, 1, for_ms=500), Fault(Kind.PAUSE_REPLICA, B, 2, for_ms=10**6)])
    follow(script, 5, now=0)
    follow(script, 5, now=499)
    assert [name for name, _ in hits] == ["pause", "pause"]
    follow(script, 5, now=500)
    assert hits[2] == ("go_on", hits[0][1])
    script.release()
    assert hits[3] == ("go_on", hits[1][1])


def test_a_task_without_a_primary_is_told_from_one_that_is_not_there() -> None:
    with pytest.raises(Missed, match="'vwap/0' has no primary now") as missed:
        aim(Fault(Kind.KILL_REPLICA, "vwap/0"), TABLE, {})
    assert missed.value.known == (A, B)
