"""What people see of a run."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from levee.cli.local.picture import failures
from levee.cli.local.service import in_words
from levee.cli.local.shown import Lines, Live
from levee.control.account import Statement, Sums
from levee.control.actions import Decision, Reason
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Observation, Phase, ReplicaSeen, Status, WorkerSeen
from levee.topology.names import ConfigurationName, NodeName, TaskId
from levee.worlds.local.folder import Folder
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.run import Turn
from levee.worlds.local.table import RunTable, SwitchEntry, TaskEntry, Told, read_table

SOURCE, SINK = TaskId("market/0"), TaskId("out/0")
TABLE = RunTable(
    "shop/clicks",
    "uid",
    "memory://",
    None,
    configuration=None,
    reason="Settled",
    text="all replicas are where they should be",
    tasks=(TaskEntry(SOURCE, ()), TaskEntry(SINK, (SOURCE,), delivers=True)),
    events=(Told("2026-01-02T03:04:05.678+00:00", "node-2", "crashed", grave=True),),
    account=Statement(3600, Sums(3600, 990, 10, 0, 300, 400, 70, 100, 0, 50)),
)


def worker(number: int, *states: ReplicaSeen, phase: Phase = Phase.READY) -> WorkerSeen:
    names = tuple(state.replica for state in states)
    node = NodeName(f"node-{number}")
    return WorkerSeen(WorkerName(f"{node}-0"), node, names, 1, phase, Instant(0), Instant(0), 0, states)


def replica(name: str, **changes: object) -> ReplicaSeen:
    return replace(ReplicaSeen(ReplicaName(name), Status.RUNNING), **changes)  # type: ignore[arg-type]


SEEN = Observation(
    nodes=tuple(NodeSeen(NodeName(f"node-{n}"), alive=n != 3, since=Instant(0)) for n in (1, 2, 3)),
    workers=(
        worker(1, replica("market/0/0", last="won", epoch=42, rows_per_s=500.0), replica("out/0/0", epoch=41)),
        worker(2, replica("market/0/1", last="lost", epoch=42, lag_epochs=1, rows_per_s=499.0)),
        worker(3, replica("out/0/1", epoch=30), phase=Phase.ENDED),
    ),
    anchored=True,
)


def test_who_is_behind_is_seen_to_be_though_the_source_has_no_replica() -> None:
    seen = replace(SEEN, workers=(worker(1, replica("keep/0/0", epoch=112), replica("out/0/0", epoch=20)),))
    table = replace(TABLE, tasks=(*TABLE.tasks, TaskEntry(TaskId("keep/0"), (SOURCE,))))
    assert {row.replica: row.lag_epochs for row in rows_of(table, seen)} == {"keep/0/0": 0, "out/0/0": 92}


def test_each_replica_has_its_role_and_one_on_a_dead_node_is_shown_where_it_was() -> None:
    rows = {row.replica: row for row in rows_of(TABLE, SEEN)}
    roles = {name: row.role for name, row in rows.items()}
    assert roles == {"market/0/0": "primary", "market/0/1": "secondary", "out/0/0": "deliverer", "out/0/1": "none"}
    assert (rows[ReplicaName("out/0/1")].node, rows[ReplicaName("out/0/1")].status) == ("node-3", "node lost")


def test_a_topology_is_as_far_as_its_sinks_and_as_fast_as_its_sources() -> None:
    summary = summary_of(TABLE, rows_of(TABLE, SEEN))
    assert (summary.epoch, summary.rows_per_s, summary.working, summary.replicas) == (41, 500.0, 3, 4)


def turn(now: int, news: tuple[Told, ...] = ()) -> Turn:
    return Turn(Instant(now), SEEN, Decision(Reason.SETTLED), TABLE, news, ())


def test_without_a_terminal_there_is_a_line_for_each_event_and_one_for_all_every_five_seconds() -> None:
    out = io.StringIO()
    lines = Lines(out)
    lines.turn(turn(10_000, TABLE.events))
    lines.turn(turn(14_000))
    lines.turn(turn(15_000))
    summary = "epoch 41, lag 1, 3 of 4 replicas work, 500 rows/s, configuration None"
    assert out.getvalue().splitlines() == ["03:04:05.678 node-2: crashed", summary, summary]


def test_on_a_terminal_the_graph_its_replicas_and_the_events_are_one_picture() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=30, color_system=None)
    with Live(console) as live:
        live.turn(turn(0))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    for part in ("shop/clicks: epoch 41", "primary", "deliverer", "node lost", "market/0", "03:04:05.678 node-2: crashed"):
        assert part in text
    assert "over 1 h: 99 % of rows in time (promised: 70 %), 75 % of the cost of static replication, input as declared" in " ".join(
        text.split()
    )


def test_who_was_switched_on_and_has_yet_to_catch_up_is_no_secondary() -> None:
    rows = {
        row.replica: row for row in rows_of(replace(TABLE, joining=frozenset({ReplicaName("market/0/1"), ReplicaName("out/0/1")})), SEEN)
    }
    assert (rows[ReplicaName("market/0/1")].role, rows[ReplicaName("market/0/1")].status) == ("standby", "catching up")
    assert rows[ReplicaName("out/0/1")].status == "node lost"


@pytest.mark.parametrize("status", [Status.RUNNING, Status.IDLE])
def test_who_has_failed_and_tries_again_does_not_work_and_says_why(status: Status) -> None:
    retrying = replica("market/0/0", status=status, epoch=30, last="won", rows_per_s=500.0, error="ValueError: no price")
    seen = replace(SEEN, workers=(worker(1, retrying, replica("out/0/0", epoch=41)), *SEEN.workers[1:]))
    table = replace(TABLE, failing=frozenset({retrying.replica}))
    rows = rows_of(table, seen)
    [row] = [one for one in rows if one.replica == retrying.replica]
    assert (row.role, row.status, row.rows_per_s) == ("none", "trying again", 0.0)
    assert summary_of(table, rows).working == 2
    assert [str(one) for one in failures(rows)] == ["market/0 tries again: ValueError: no price\n"]
    assert summary_of(TABLE, rows_of(TABLE, seen)).working == 3


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ((3600, 0.7, 0.99999, 1.0, None), "over 1 h: 99.9 % of rows in time (promised: 70 %), 100 % of the cost of static replication"),
        (
            (90, None, 1.0, 0.5, False),
            "over 90 s: 100 % of rows in time, 50 % of the cost of static replication, input above what is declared",
        ),
        ((90, 0.7, None, 0.5, True), ""),
    ],
)
def test_an_account_is_a_line(told: tuple[float, float | None, float | None, float | None, bool | None], words: str) -> None:
    assert in_words(*told) == words


def test_the_table_of_a_run_outlives_its_writer(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert read_table(folder) is None
    folder.write(TABLE.document())
    assert read_table(folder) == TABLE
    entry = SwitchEntry("2026-01-02T03:04:05.678+00:00", ConfigurationName("high"), 12, (ReplicaName("market/0/1"),), (), {"read": 1.25})
    joining = frozenset({ReplicaName("out/0/1")})
    table = replace(TABLE, account=None, joining=joining, failing=frozenset({ReplicaName("market/0/0")}), switches=(entry,))
    folder.write(table.document())
    assert read_table(folder) == table
