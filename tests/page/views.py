"""A topology as its controller knows it, with something of everything that a page shows.

Called by: the tests of the page; run by itself (`python -m tests.page.views`) it serves one, to look at.
"""

import sys
from dataclasses import replace
from typing import Any

from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Observation, Phase, ReplicaSeen, Status, WorkerSeen
from levee.page.picture.graph import graph_of
from levee.page.picture.view import Promised, View
from levee.page.picture.whole import picture
from levee.page.serving import LOOPBACK, Sources, address, serve
from levee.topology.load import load
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId
from levee.worlds.local.table import RunTable, TaskEntry, Told

SECRET = "hunter2"  # noqa: S105
RESOURCE = f"""
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: clicks, namespace: shop}}
spec:
  store: {{uri: "s3://bucket/prefix", secret: store}}
  sources:
  - name: market
    spark: {{format: kafka, options: {{kafka.sasl.jaas.config: "{SECRET}", subscribe: "{SECRET}"}}}}
    configurations: [{{name: calm, rate: 300, probability: 0.9}}, {{name: peak, rate: 2000, probability: 0.1}}]
  operators:
  - name: total
    function: "shop.features:total"
    parallelism: 2
    late: tentative
    inputs: [{{from: market, partitionBy: [symbol], cost: 1us}}]
  sinks:
  - {{name: out, from: total, spark: {{format: jdbc, options: {{password: "{SECRET}"}}}}}}
  - {{name: raw, from: market, spark: {{format: console}}}}
  faultTolerance: {{target: {{completeness: 0.5}}}}
"""
MARKET, TOTALS, OUT, RAW = TaskId("market/0"), (TaskId("total/0"), TaskId("total/1")), TaskId("out/0"), TaskId("raw/0")
AT = "2026-01-02T03:04:06.000+00:00"
NASTY = "<script>document.title = 'owned'</script>"

TABLE = RunTable(
    "shop/clicks",
    "uid",
    f"s3://{SECRET}@bucket/prefix",
    None,
    ConfigurationName("calm"),
    4,
    "Degraded",
    "out/0/1 cannot work",
    (
        TaskEntry(MARKET, ()),
        *(TaskEntry(task, (MARKET,)) for task in TOTALS),
        TaskEntry(OUT, TOTALS, delivers=True),
        TaskEntry(RAW, (MARKET,), delivers=True),
    ),
    events=(
        Told("2026-01-02T03:04:05.678+00:00", "node-3", "crashed", grave=True),
        Told("2026-01-02T03:04:05.900+00:00", NASTY, f"failed at epoch 3: {NASTY}\nTraceback: {NASTY}", grave=True),
    ),
    ready=True,
)


def worker(number: int, *states: ReplicaSeen, phase: Phase = Phase.READY) -> WorkerSeen:
    node = NodeName(f"node-{number}")
    names = tuple(state.replica for state in states)
    return WorkerSeen(WorkerName(f"{node}-0"), node, names, 1, phase, Instant(0), Instant(0), 0, states)


def replica(name: str, **changes: Any) -> ReplicaSeen:
    return replace(ReplicaSeen(ReplicaName(name), Status.RUNNING), **changes)


SEEN = Observation(
    nodes=tuple(NodeSeen(NodeName(f"node-{n}"), n != 3, Instant(0), accepts=n != 2) for n in (1, 2, 3)),
    workers=(
        worker(
            1,
            replica("market/0/0", last="won", epoch=42, rows_per_s=500.0),
            replica("total/0/0", last="won", epoch=41, rows_per_s=20.0),
            replica("total/1/0", last="won", epoch=42, rows_per_s=30.0),
            replica("out/0/0", epoch=41, rows_per_s=50.0),
        ),
        worker(
            2,
            replica("market/0/1", last="lost", epoch=42, rows_per_s=499.0),
            replica("total/0/1", last="lost", epoch=41, rows_per_s=20.0),
            replica("total/1/1", status=Status.IDLE),
            replica("raw/0/0", status=Status.FAILED, epoch=3, error=NASTY),
        ),
        worker(3, replica("out/0/1", epoch=30, rows_per_s=9.0), phase=Phase.ENDED),
    ),
    anchored=True,
    configuration=ConfigurationName("calm"),
    rates={OperatorName("market"): 500.0},
)
[LOADED] = load(RESOURCE, origin="test")
GRAPH = graph_of(LOADED)
CONDITIONS = ({"type": "Ready", "status": "True", "reason": "AllReady", "message": NASTY},)


def view(**changes: Any) -> View:
    return replace(View(TABLE, SEEN, GRAPH, "running", CONDITIONS, promised=Promised(0.9, 0.95, True)), **changes)


def shown(**changes: Any) -> Any:
    return picture(AT, view(**changes))["shown"]


if __name__ == "__main__":
    server = serve(Sources(lambda _: picture(AT, view())), LOOPBACK, int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(address(server), "- Enter ends it")
    input()
