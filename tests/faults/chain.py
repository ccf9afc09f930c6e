"""The topology that faults are injected into: three rows an epoch, labelled, then summed up for each key; and what it must deliver.

Why: a source that is a function of the epoch's number makes every run comparable, and the undisturbed output can be computed by plain
loops that share nothing with Spark or with Levee. One stateless and one stateful operator are the least that can go wrong in both ways.
Called by: the tests of faults; by the workers, as the user's functions.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEYS = ("a", "b", "c")
SOURCE, LABELLED, TOTAL, SINK = "numbers/0", "labelled/0", "total/0", "out/0"
STREAMS = (SOURCE, LABELLED, TOTAL)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """What differs from one test to the next."""

    nodes: int = 2
    replicas: int = 2
    source_options: str = ""  # more of them, as YAML
    source_policies: str = ""
    labelled: str = "tests.faults.chain:labelled"
    policies: str = ""  # more of the operator `labelled`, as YAML
    total: str = "tests.faults.chain:total"
    total_policies: str = ""
    more_operators: str = ""  # as YAML, in lines of their own
    more_sinks: str = ""
    checkpoint_every: int = 8
    hold: str = "150ms"
    failure_timeout: str = "4s"


def resource(place: Path, wish: Wish) -> str:
    nodes = ", ".join(f"{{name: node-{number}}}" for number in range(1, wish.nodes + 1))
    return f"""
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: chain, namespace: tests}}
spec:
  store: {{uri: "{(place / "store").as_uri()}?durable=false"}}
  epoch: {{period: 300ms, hold: {wish.hold}, retention: 1h}}
  sources:
  - name: numbers
    spark: {{format: replay, options: {{generator: "tests.faults.chain:numbers"{wish.source_options}}}}}
    configurations: [{{name: calm, rate: 10, probability: 1}}]{wish.source_policies}
  operators:
  - {{name: labelled, function: "{wish.labelled}", inputs: [{{from: numbers, cost: 1us}}]{wish.policies}}}
  - {{name: total, function: "{wish.total}", inputs: [{{from: labelled, cost: 1us}}]{wish.total_policies}}}{wish.more_operators}
  sinks: [{{name: out, from: total, spark: {{format: json, options: {{path: "{place / "out"}"}}}}}}{wish.more_sinks}]
  faultTolerance:
    strategy: static
    replicas: {wish.replicas}
    checkpoint: {{every: {wish.checkpoint_every}}}
    failureTimeout: {wish.failure_timeout}
  placement: {{nodes: [{nodes}]}}
"""


# ---- what the workers run


def numbers(epoch: int, options: Mapping[str, str], _task: int, _tasks: int) -> pa.Table:
    """Late for as long as the file is there that `heldBy` names."""
    while "heldBy" in options and Path(options["heldBy"]).exists():
        time.sleep(0.02)
    return pa.table({"key": list(KEYS), "value": pa.array([value(epoch, place) for place in range(len(KEYS))], pa.int64())})


def value(epoch: int, place: int) -> int:
    return (epoch * 7 + place * 13) % 101


def labelled(inputs: "dict[str, DataFrame]") -> "DataFrame":
    """Stateless: doubled, and one row in some is dropped."""
    from pyspark.sql import functions as f

    numbers = inputs["numbers"]
    return numbers.where(f.col("value") % 5 != 0).select("key", (2 * f.col("value")).alias("double"), f.col("_epoch").alias("epoch"))


def total(inputs: "dict[str, DataFrame]") -> "DataFrame":
    """Stateful: whatever is lost or doubled shows in every later row of its key."""
    from pyspark.sql import functions as f

    sums = f.sum("double").alias("sum"), f.count("*").alias("rows"), f.max("epoch").alias("epoch")
    return inputs["labelled"].groupBy("key").agg(*sums)


# ---- what must come out


def expected(epochs: int, *, without: Collection[int] = (), again: Mapping[int, int] | None = None) -> dict[int, list[Row]]:
    """The rows of every epoch that has any. `without`: epochs whose labelled rows were lost; `again`: how often the first came twice."""
    sums, rows, found = dict.fromkeys(KEYS, 0), dict.fromkeys(KEYS, 0), {}
    for epoch in range(1, epochs + 1):
        kept = [(key, 2 * value(epoch, place)) for place, key in enumerate(KEYS) if value(epoch, place) % 5 != 0]
        kept += kept[:1] * (again or {}).get(epoch, 0)
        if epoch in without or not kept:
            continue
        for key, double in kept:
            sums[key], rows[key] = sums[key] + double, rows[key] + 1
        touched = sorted({key for key, _ in kept})
        found[epoch] = [{"key": key, "sum": sums[key], "rows": rows[key], "epoch": epoch} for key in touched]
    return found
